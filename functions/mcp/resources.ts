// Resources: what an instance has unlocked, as documents. Texts of steps, and artifacts by name.
import {
  type Resource,
  ResourceNotFoundError,
  type TextResourceContents,
} from '@modelcontextprotocol/server';
import { findInstance } from '../../shared/app/find-instance.ts';
import { step as readStep } from '../../shared/app/read-instance.ts';
import {
  artifactsOf,
  currentStep,
  isUnlocked,
  type Json,
  recordOf,
  type StepContent,
} from '../../shared/engine/index.ts';
import type { Asking } from './tool.ts';

const ROOT = 'stepgate://workflows/';

export const TEMPLATES = [
  {
    name: 'step',
    title: 'Text of a step',
    uriTemplate: `${ROOT}{instance_id}/steps/{step}`,
    description: 'What the current step or a completed one says. Later ones are not open yet.',
    mimeType: 'text/markdown',
  },
  {
    name: 'artifact',
    title: 'Artifact',
    uriTemplate: `${ROOT}{instance_id}/artifacts/{name}`,
    description: 'Something a step has produced.',
  },
];

export async function listResources(instance_id: string, { app, caller }: Asking): Promise<Resource[]> {
  const { workflow, state } = await findInstance(app, instance_id, caller);
  const base = `${ROOT}${encodeURIComponent(instance_id)}`;
  const steps = workflow.steps
    .filter((step) => step.final === null && isUnlocked(state, step))
    .map(({ id, number, title }) => ({
      uri: `${base}/steps/${encodeURIComponent(id)}`,
      name: id,
      title: `${number}. ${title}`,
      mimeType: 'text/markdown',
    }));
  const artifacts = Object.entries(
    artifactsOf(state, recordOf(state, currentStep(workflow, state)) ?? undefined),
  );
  return [
    ...steps,
    ...artifacts.map(([name, value]) => ({
      uri: `${base}/artifacts/${encodeURIComponent(name)}`,
      name,
      title: `Artifact ${name}`,
      mimeType: typeOf(value),
    })),
  ];
}

/** `bound`: the one instance whose resources are there. */
export async function readResource(
  uri: string,
  asking: Asking,
  bound?: string,
): Promise<TextResourceContents> {
  const [, id, kind, name] = /^stepgate:\/\/workflows\/([^/]+)\/(steps|artifacts)\/([^/]+)$/.exec(uri) ?? [];
  const [instance_id, what] = [decoded(id), decoded(name)];
  if (instance_id === null || what === null || (bound !== undefined && bound !== instance_id))
    throw new ResourceNotFoundError(uri);
  const { app, caller } = asking;
  if (kind === 'steps')
    return {
      uri,
      mimeType: 'text/markdown',
      text: markdownOf(await readStep(app, instance_id, caller, what)),
    };
  const { workflow, state } = await findInstance(app, instance_id, caller);
  const artifacts = artifactsOf(state, recordOf(state, currentStep(workflow, state)) ?? undefined);
  const value = Object.hasOwn(artifacts, what) ? artifacts[what] : undefined;
  if (value === undefined) throw new ResourceNotFoundError(uri);
  return {
    uri,
    mimeType: typeOf(value),
    text: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
  };
}

const typeOf = (value: Json): string => (typeof value === 'string' ? 'text/plain' : 'application/json');

function decoded(part: string | undefined): string | null {
  try {
    return part === undefined ? null : decodeURIComponent(part);
  } catch {
    return null; // not a name of ours
  }
}

function markdownOf({
  step,
  title,
  phase_content,
  instructions,
  actions,
  evidence_format,
}: StepContent): string {
  const text = phase_content.trim();
  const sections = [...(text.startsWith('#') ? [] : [`# ${step}. ${title}`]), text];
  if (instructions.trim() !== '' && instructions !== phase_content)
    sections.push('## Instructions', instructions.trim());
  if (actions.length > 0) sections.push(actions.map((action, i) => `${i + 1}. ${action}`).join('\n'));
  if (Object.keys(evidence_format).length > 0)
    sections.push('## Evidence', `\`\`\`json\n${JSON.stringify(evidence_format, null, 2)}\n\`\`\``);
  return `${sections.filter(Boolean).join('\n\n')}\n`;
}
