// The classifier by words: what it recognises in Russian and in English, and where it would rather say nothing (LC1, LC2).
import { describe, expect, it } from 'vitest';
import { lexicalClassifier } from '../../shared/app/intents/lexical-classifier.ts';
import { stemsOf } from '../../shared/app/intents/words.ts';
import { SURE } from '../../shared/engine/decide/messages.ts';
import { builtInWorkflows } from '../../shared/reading/built-in.ts';

const steps = builtInWorkflows().get('onboarding')?.steps ?? [];
const guess = async (text: string): Promise<string> => {
  const found = await lexicalClassifier.classify(text, steps, 'discovery');
  return found && found.confidence >= SURE ? found.step : 'unsure';
};

describe('the classifier by words', () => {
  it.each([
    ['запиши мне в инбокс: купить молоко', 'brain_dump'],
    ['Запиши в inbox: купить молоко', 'brain_dump'],
    ['ЗАПИШИТЕ, ПОЖАЛУЙСТА, В ИНБОКСЕ', 'brain_dump'],
    ['Купить молоко', 'brain_dump'],
    ['Напомни завтра позвонить маме', 'brain_dump'],
    ['Пожалуйста, добавь в список хлеб', 'brain_dump'],
    ['Можешь записать пару задач?', 'brain_dump'],
    ['Почему нельзя сначала записать задачи?', 'brain_dump'],
    ['Buy milk', 'brain_dump'],
    ['Please write it down: buy milk', 'brain_dump'],
    ['Can you remind me to call mom tomorrow?', 'brain_dump'],
    ['Reminding me of two tasks would help', 'brain_dump'],
    ['Меня зовут Алекс', 'greeting'],
    ['Мои приоритеты: здоровье и цели на год', 'discovery'],
    ['My most important goals are health and family', 'discovery'],
    ['Привет! Запиши в inbox: купить молоко', 'brain_dump'],
    ['Hey, please add milk to my list', 'brain_dump'],
    ['Запишите во входящие, что нужно купить молоко', 'brain_dump'],
    ['Давай запишем в инбокс: куплю молока', 'brain_dump'],
    ['Не записывай в заметки, запиши в inbox: купить молоко', 'brain_dump'],
    ['Инбокс: молоко', 'brain_dump'],
    ['To-do: renew the passport', 'brain_dump'],
    ['Can I add something?', 'brain_dump'],
  ])('takes "%s" to be for %s', async (text, step) => {
    expect(await guess(text)).toBe(step);
  });

  it.each([
    'да',
    '',
    '🙂',
    '… — !',
    'Хочу купить дом',
    'I want to buy a house',
    'Моя цель — купить дом',
    'My goal is to call my mother more often',
    'Add family to my priorities',
    'What is on the list?',
    'Я люблю составлять списки',
    'I do not know yet',
    'My name is Bob, and I would like a reminder',
    'Задача номер один — здоровье',
    'Дело в том, что дел и задач слишком много',
    'Я купил дом, теперь хочу ремонт',
    'Записался в спортзал',
    'Позвоню позже',
    'Напомни, о чём мы говорили?',
    'Не записывай это',
    'Добавить нечего',
    'I do not know what to do',
    'I call that success',
    'Please remind me what you asked',
    "Don't write this down",
    'list.add(task) // inbox.push(note)',
    '```js\nconst inbox = list(tasks);\n```',
    'https://example.com/inbox/list',
  ])('is unsure of "%s"', async (text) => {
    expect(await guess(text)).toBe('unsure');
  });

  it('knows nothing where no step has intents', async () => {
    expect(
      await lexicalClassifier.classify('buy milk', [{ id: 'a', title: 'A', intents: [] }], 'a'),
    ).toBeNull();
  });

  it.each([
    ['many words', 'очень '.repeat(5_000)],
    ['one endless word', 'a'.repeat(300_000)],
    ['brackets', 'a('.repeat(100_000)],
    ['blanks', 'a '.repeat(400) + ' '.repeat(200_000)],
  ])('reads the beginning of a very long message: %s', async (_, rest) => {
    expect(await guess(`Запиши: купить ${rest}`)).toBe('brain_dump');
  });
});

describe('words', () => {
  it.each([
    ['запиши записать запишите запишем записывать записал', 1],
    ['купить куплю купи купил купим', 1],
    ['напомни напомнить напомните', 1],
    ['задача задачу задачи задачами', 1],
    ['цель цели целью', 1],
    ['список списка списки', 1],
    ['ценность ценности ценностью', 1],
    ['task tasks', 1],
    ['priority priorities', 1],
    ['remind reminding reminded', 1],
    ['note not', 2],
    ['ёлка елка', 1],
  ])('%s have %i stems', (words, count) => {
    expect(new Set(stemsOf(words)).size).toBe(count);
  });
});
