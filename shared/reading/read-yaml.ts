// One YAML 1.2 document as plain data. Core schema: no dates, no tags of anyone's own, `on` and `yes` are words.
//   Y1  Whatever the text, the answer is a value or problems; nothing is thrown.
//   Y2  Keys are text, and no mapping has one twice.
//   Y3  Aliases are for a few repeated lines: a text that unfolds to far more than it says is refused.
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type YAMLMap } from 'yaml';
import { type ReadText, refuse, type TextProblem } from './text-problem.ts';
import { beyondLimits } from './yaml-limits.ts';

const MAX_ALIASES = 200;
const MAX_ANCHORS = 1_000;
const MAX_TOLD = 20;
const MERGE = '<<';
const REPEAT_LESS = 'Write the repeated parts out, or repeat them less.';

type Document = ReturnType<typeof parseDocument>;

export function readYaml(text: string): ReadText {
  const lines = new LineCounter();
  try {
    const beyond = beyondLimits(text);
    if (beyond) return beyond;
    const document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      merge: true,
      uniqueKeys: false, // Y2 is ours to check: the parser compares every key with every other
      resolveKnownTags: false,
      prettyErrors: false,
      lineCounter: lines,
    });
    const problems = [...complaints(document, lines), ...look(document, lines)];
    if (problems.length > 0) return { problems: inOrder(problems) };
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown };
  } catch (error) {
    const unknown = error instanceof ReferenceError ? /^Unresolved alias.*: (.*)$/.exec(error.message) : null;
    if (unknown)
      return refuse(
        `the alias *${unknown[1]} has no anchor before it`,
        `Mark what it repeats with &${unknown[1]}.`,
      );
    if (error instanceof ReferenceError) return refuse('its aliases unfold to too much', REPEAT_LESS);
    // The limits above keep us from here; a parser's mistake must still not become the reader's.
    return refuse(
      `it cannot be read as YAML (${error instanceof Error ? error.message : 'unknown'})`,
      'Write it more plainly.',
    );
  }
}

/** What the parser itself says. A tag it does not know is only a warning to it. */
function complaints(document: Document, lines: LineCounter): TextProblem[] {
  return [...document.errors, ...document.warnings].map(({ code, message, pos }): TextProblem => {
    const { line } = lines.linePos(pos[0]);
    if (code === 'MULTIPLE_DOCS')
      return { line, message: 'a second document begins here', fix: 'Keep one workflow per file.' };
    if (code === 'TAG_RESOLVE_FAILED')
      return { line, message: tagged(message), fix: 'Remove the tag: definitions are plain data.' };
    return {
      line,
      message: plain(message),
      fix: 'Correct the YAML there; often it is an indent or a quote.',
    };
  });
}

/** Keys and aliases (Y2, Y3), without recursion. */
function look(document: Document, lines: LineCounter): TextProblem[] {
  const problems: TextProblem[] = [];
  const open: unknown[] = [document.contents];
  let [aliases, anchors] = [0, 0];
  while (open.length > 0 && problems.length < MAX_TOLD) {
    const node = open.pop();
    if (isAlias(node)) aliases++;
    else if (isNode(node) && 'anchor' in node && node.anchor) anchors++;
    if (isSeq(node)) for (const item of node.items) open.push(item);
    if (isMap(node)) {
      problems.push(...wrongKeys(node, lines));
      for (const { key, value } of node.items) open.push(key, value);
    }
  }
  if (aliases > MAX_ALIASES || anchors > MAX_ANCHORS) {
    const message = `there are more than ${MAX_ALIASES} aliases or ${MAX_ANCHORS} anchors`;
    problems.push({ message, fix: REPEAT_LESS });
  }
  return problems;
}

function wrongKeys(map: YAMLMap, lines: LineCounter): TextProblem[] {
  const seen = new Set<string>();
  const problems: TextProblem[] = [];
  for (const { key, value } of map.items) {
    const node = isNode(key) ? key : value;
    const where = isNode(node) && node.range ? { line: lines.linePos(node.range[0]).line } : {};
    const name = isScalar(key) ? (typeof key.value === 'symbol' ? MERGE : key.value) : undefined;
    if (typeof name !== 'string') {
      const shown =
        typeof name === 'number' || typeof name === 'boolean' ? `the ${typeof name} ${name}` : 'no text';
      problems.push({ ...where, message: `a key is ${shown}`, fix: 'Write the key as text, in quotes.' });
    } else if (seen.has(name)) {
      const fix = name === MERGE ? 'Merge a list: "<<: [*a, *b]".' : 'Keep one of the two.';
      problems.push({ ...where, message: `the key "${name.slice(0, 80)}" is there twice`, fix });
    } else seen.add(name);
    if (problems.length >= MAX_TOLD) break;
  }
  return problems;
}

const inOrder = (problems: readonly TextProblem[]): TextProblem[] =>
  problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)).slice(0, MAX_TOLD);

const tagged = (message: string): string =>
  plain(message)
    .replace('tag:yaml.org,2002:', '!!')
    .replace(/^unresolved tag: (.*)/, 'the tag $1 is not known');

/** The parser ends some messages with a full stop and begins all with a capital; ours stand inside a sentence. */
const plain = (message: string): string =>
  `${message.charAt(0).toLowerCase()}${message.slice(1, 200)}`.replace(/\.$/, '');
