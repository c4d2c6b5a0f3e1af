// Who is calling, as verified at the edge. `system` is Stepgate itself: timers and recovery.
import * as z from 'zod';

export const Actor = z.strictObject({
  sub: z.string().min(1).max(256),
  kind: z.enum(['human', 'agent', 'system']),
  roles: z.array(z.string()).readonly(),
});
export type Actor = z.infer<typeof Actor>;

export const ADMIN = 'admin';
export const SYSTEM: Actor = { sub: 'system', kind: 'system', roles: [] };

export const holds = (actor: Actor, role: string): boolean => actor.roles.includes(role);
export const isAdmin = (actor: Actor): boolean => actor.roles.includes(ADMIN);
