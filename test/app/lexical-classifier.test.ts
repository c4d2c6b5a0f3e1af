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
  ])('is unsure of "%s"', async (text) => {
    expect(await guess(text)).toBe('unsure');
  });

  it('knows nothing where no step has intents', async () => {
    expect(
      await lexicalClassifier.classify('buy milk', [{ id: 'a', title: 'A', intents: [] }], 'a'),
    ).toBeNull();
  });

  it('reads the beginning of a very long message', async () => {
    expect(await guess(`Запиши: купить ${'очень '.repeat(5_000)}`)).toBe('brain_dump');
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
