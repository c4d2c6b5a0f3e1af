// A definition's text, read into plain JSON that compiles without any file: YAML or JSON, its document resolved.
//   R1  Whatever the text, the answer is a definition or problems; nothing is thrown.
//   R2  What is read is plain data, each part of it its own: it can be stored as JSON and read back the same.
//   R3  A document lies in the folder of its definition, or below.
import { Fault } from '../faults.ts';
import { plainJson } from '../engine/model/json.ts';
import type { ProofProblem } from '../engine/prove/problem.ts';
import { readJson } from './read-json.ts';
import { readYaml } from './read-yaml.ts';
import { resolveDocument } from './resolve-document.ts';
import { asProof, MAX_TEXT, type TextProblem } from './text-problem.ts';

export interface ReadOptions {
  readonly format: 'yaml' | 'json';
  /** Stands in for an id the definition does not have. */
  readonly name: string;
  /** The text of a file beside the definition; may throw. */
  readonly readDocument?: (path: string) => string;
}

export type ReadDefinition =
  | { readonly definition: unknown }
  | { readonly problems: readonly ProofProblem[] };

export function readDefinition(text: string, options: ReadOptions): ReadDefinition {
  const refuse = (...problems: TextProblem[]): ReadDefinition => ({
    problems: problems.map((problem) => asProof(problem, options.name)),
  });
  if (text.length > MAX_TEXT)
    return refuse({
      message: `the definition has ${text.length} characters; at most ${MAX_TEXT} are read`,
      fix: 'Split the workflow, or keep its long texts elsewhere.',
    });
  const unmarked = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const read = options.format === 'json' ? readJson(unmarked) : readYaml(unmarked);
  if ('problems' in read) return refuse(...read.problems);
  let definition: unknown;
  try {
    // The copy gives what an alias repeats to each of its places (R2).
    definition = JSON.parse(JSON.stringify(plainJson(read.value, 'definition', MAX_TEXT)));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return refuse({ message: told(error), fix: 'Correct or remove it.' });
  }
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition))
    return refuse({
      message: 'a definition is an object',
      fix: 'Start it with "id:" and "steps:" (or "states:" and "transitions:").',
    });
  return 'document' in definition ? withDocument({ ...definition }, options) : { definition };
}

/** "definition.steps.0.x: is …" → "steps.0.x" is … */
const told = ({ message }: Fault): string =>
  message.replace(/^definition(?:\.([^:]*))?: /, (_, path?: string) =>
    path === undefined ? 'the definition ' : `the value at "${path}" `,
  );

function withDocument(
  { document, steps, ...rest }: { document?: unknown; steps?: unknown; [key: string]: unknown },
  { name, readDocument }: ReadOptions,
): ReadDefinition {
  const id = typeof rest.id === 'string' ? rest.id : name;
  const refuse = (message: string, fix: string): ReadDefinition => ({
    problems: [asProof({ message, fix }, id)],
  });
  if (typeof document !== 'string' || document === '')
    return refuse('"document" is not a file\'s name', 'Write "document: phases.md".');
  const shown = document.slice(0, 100);
  if ('states' in rest)
    return refuse('a definition has "states" or a "document", not both', 'Keep one of the two.');
  if (!staysInside(document))
    return refuse(
      `the document "${shown}" is not in the folder of its definition`,
      'Put the document beside the definition, and name it without "..", "\\\\" or a leading "/".',
    );
  if (!readDocument)
    return refuse(
      `the document "${shown}" cannot be read here`,
      'Publish the definition with "stepgate publish", which reads the document into it.',
    );
  let markdown: string;
  try {
    markdown = readDocument(document);
  } catch (error) {
    return refuse(
      `the document "${shown}" cannot be read (${error instanceof Error ? error.message : String(error)})`,
      'Put it beside the definition.',
    );
  }
  const resolved = resolveDocument(markdown, document, id, steps);
  if (resolved.problems.length > 0) return { problems: resolved.problems };
  const title = resolved.title === undefined ? {} : { title: resolved.title };
  return { definition: { ...('name' in rest ? {} : title), ...rest, steps: resolved.steps } };
}

function staysInside(path: string): boolean {
  const isRelative = !/^(?:[/~]|[A-Za-z]:)/.test(path) && !/[\\\0]/.test(path);
  return isRelative && path.split('/').every((part) => part !== '..' && part !== '');
}
