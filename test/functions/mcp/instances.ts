// Instances as several tests begin with them.
import type { Caller } from './rig.ts';

/** Started by an agent, for a person. */
export async function startedBy(writer: Caller, workflow_id: string, params = {}): Promise<string> {
  const { instance_id } = await writer.call('start_workflow', { workflow_id, user_id: 'olga', params });
  return String(instance_id);
}

/** Generation, waiting for approval on step 3. */
export async function waitingForApproval(writer: Caller): Promise<string> {
  const workflow_id = await startedBy(writer, 'generation', { scene_id: '0204' });
  const report = (step: number, artifacts: object) =>
    writer.call('update_workflow_state', { workflow_id, step, status: 'completed', artifacts });
  await report(1, { blueprint_path: 'b.md' });
  await report(2, { constraints_list: 'c.json' });
  await report(3, { verification_plan: 'plan.md' });
  return workflow_id;
}
