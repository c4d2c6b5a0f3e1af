// Onboarding: a greeting, a talk that is not over at two facts, a list; then it is done.
import { expectEqual, refused, type Stage, Watcher } from './stage.ts';

const TITLE = 'onboarding';

export async function playOnboarding({ server, screen, breathe }: Stage) {
  const ana = server.as({ sub: 'ana', kind: 'human' });
  const greeter = server.as({ sub: 'agent-greeter', kind: 'agent', roles: ['greeter'] });
  const discovery = server.as({ sub: 'agent-discovery', kind: 'agent', roles: ['discovery'] });
  const collector = server.as({ sub: 'agent-inbox', kind: 'agent', roles: ['inbox_collector'] });
  const watcher = new Watcher(screen);

  screen.title('Onboarding', 'greeting → discovery → brain_dump → completed');
  const { instance_id } = await ana.start({ workflow_id: 'onboarding' });
  await watcher.watch(ana, instance_id, TITLE);
  await watcher.seen(1);
  await breathe();

  screen.say('greeter', '"Welcome! How would you like to be called?"');
  screen.say('ana', '"Ana."');
  const greeted = await greeter.signal(instance_id, { action: 'complete_step', data: { user_name: 'Ana' } });
  await watcher.seen(greeted.version);
  await breathe();

  screen.say('ana', 'reads ahead: what does the list step say?');
  const early = await refused(ana.step(instance_id, 'brain_dump'));
  screen.say('stepgate', `${early.status} ${early.code}: ${early.message}`);
  await breathe();

  for (const memory of ['Family comes first', 'Finish the book by June']) await remember(memory);
  screen.say('discovery', 'thinks that is enough: complete_step');
  const blocked = await discovery.signal(instance_id, { action: 'complete_step' });
  expectEqual('the answer at two facts', blocked.result, 'blocked');
  await watcher.seen(blocked.version);
  await breathe();
  await remember('Run twice a week');
  const learnt = await discovery.signal(instance_id, { action: 'complete_step' });
  expectEqual('the answer at three facts', learnt.result, 'advanced');
  await watcher.seen(learnt.version);
  await breathe();

  screen.say('inbox agent', 'asks for the list widget');
  const asked = await collector.signal(instance_id, { action: 'need_input', widget_type: 'list_input' });
  await watcher.seen(asked.version);
  const items = ['Call the plumber', 'Buy milk', 'Chapter seven'];
  screen.say('ana', `fills it in: ${items.join(', ')}`);
  const filled = await ana.widget(instance_id, 'list_input', { items });
  await watcher.seen(filled.version);
  await breathe();
  const done = await collector.signal(instance_id, { action: 'complete_step' });
  expectEqual('the end of onboarding', done.result, 'completed');
  await watcher.seen(done.version);
  screen.endBar();
  return { client: ana, instance_id, title: 'Onboarding', events: watcher.events };

  async function remember(memory: string): Promise<void> {
    await discovery.addFact({ user_id: 'ana', category: 'priorities', memory });
    screen.say('discovery', `remembers: ${memory}`);
    await breathe();
  }
}
