// The coordinator: a user's message goes to whoever works on the current step; what belongs to a later one is parked
// and answered with the reason. Which it is was guessed by the classifier (a fact) and decided by the engine.
import type { Actor, Answer } from '../engine/index.ts';
import type { App } from './app.ts';
import type { MessageRequest } from './schemas.ts';
import { tell } from './tell.ts';

export interface Messaging {
  readonly instance_id: string;
  readonly body: MessageRequest;
  readonly caller: Actor;
  readonly key?: string | undefined;
}

type Routing = NonNullable<Answer['routing']>;

export async function routeMessage(
  app: App,
  { instance_id, body, caller, key }: Messaging,
): Promise<Omit<Answer, 'routing'> & Routing> {
  const { message, text = message, ...rest } = body;
  const told = { instance_id, type: 'message', body: { ...rest, text }, said: body, caller, key } as const;
  const { routing, ...answer } = await tell(app, told);
  if (!routing) throw new Error(`a message to "${instance_id}" was answered without saying where it went`);
  return { ...answer, ...routing };
}
