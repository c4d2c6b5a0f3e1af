// Reads a Markdown document into phases: the text an agent may see, and the evidence that opens the next one.
//   P1  A phase is a heading "Phase N". It runs to the next one, or to a heading above its own level.
//   P2  Phases are numbered 1, 2, 3 … in the order of the document.
//   P3  Each phase asks for evidence, or says that it needs none.
//   P4  Whatever the document, the answer is phases and problems; nothing is thrown.
import type { EvidenceField } from '../../engine/model/evidence.ts';
import type { Block } from './blocks.ts';
import { type DocumentProblem, type OpenDocument, openDocument } from './document.ts';
import { evidenceFields } from './evidence-fields.ts';
import { headingText, readPhaseHeading } from './headings.ts';
import { readInline } from './inline.ts';
import { scopeOfLabel } from './labels.ts';
import { findRequirements } from './requirements.ts';

export type { DocumentProblem } from './document.ts';

export interface Phase {
  number: number;
  title: string;
  /** The heading as text, without markup. */
  heading: string;
  line: number;
  /** The section's source, from its heading on. */
  content: string;
  /** What the phase is about: its first paragraph as text. */
  intro?: string;
  evidence: Record<string, EvidenceField>;
}

export interface PhaseDocument {
  title?: string;
  phases: Phase[];
  problems: DocumentProblem[];
}

const MAX_INTRO = 2_000;

interface Section {
  number: number;
  title: string;
  heading: string;
  line: number;
  depth: number;
  endLine: number;
  blocks: Block[];
}

export function readPhases(markdown: string): PhaseDocument {
  const document = openDocument(markdown);
  if ('problem' in document) return { phases: [], problems: [document.problem] };
  const { sections, title, problems } = findSections(document);
  problems.push(...numbering(sections));
  const phases = sections.map((section) => readSection(section, document, problems));
  if (phases.length === 0) {
    problems.push({
      line: 1,
      message: 'the document has no phase',
      fix: 'Begin each phase with a heading such as "## Phase 1: Analysis".',
    });
  }
  problems.sort((a, b) => a.line - b.line);
  const named = title ?? document.frontTitle;
  return { ...(named === undefined ? {} : { title: named }), phases, problems };
}

function findSections(document: OpenDocument) {
  const sections: Section[] = [];
  const problems: DocumentProblem[] = [];
  let title: string | undefined;
  let open: Section | undefined;
  for (const block of document.blocks) {
    if (block.kind !== 'heading') {
      open?.blocks.push(block);
      continue;
    }
    const heading = headingText(block.text);
    const phase = readPhaseHeading(heading);
    if (phase !== undefined && 'number' in phase && !isPartOf(open, phase, block.depth)) {
      if (open) open.endLine = block.line;
      const own = { number: phase.number, title: phase.title || heading, heading };
      open = { ...own, line: block.line, depth: block.depth, endLine: document.lineCount + 1, blocks: [] };
      sections.push(open);
      continue;
    }
    if (phase !== undefined && 'almost' in phase && !(open && block.depth > open.depth)) {
      problems.push({
        line: block.line,
        heading,
        message: `"${heading}" looks like a phase, but a phase's number is a whole number in digits`,
        fix: 'Number it as "Phase 1", "Phase 2" …, or make it a sub-heading of the phase it belongs to.',
      });
    }
    if (open && block.depth < open.depth) {
      open.endLine = block.line;
      open = undefined;
    }
    if (sections.length === 0 && block.depth === 1 && heading !== '') title ??= heading;
    open?.blocks.push(block);
  }
  return { sections, title, problems };
}

/** "### Phase 2 checkpoint" inside phase 2 is a part of it. */
function isPartOf(
  open: Section | undefined,
  phase: { number: number; title: string; separated: boolean },
  depth: number,
): boolean {
  if (open?.number !== phase.number || phase.title === '') return false;
  return scopeOfLabel(phase.title)?.section === 'checkpoint' || (depth > open.depth && !phase.separated);
}

/** P2. After a wrong number counting goes on from it, so that one slip is one problem. */
function numbering(sections: readonly Section[]): DocumentProblem[] {
  const problems: DocumentProblem[] = [];
  const seenOn = new Map<number, number>();
  let expected = 1;
  for (const { number, line, heading } of sections) {
    const twin = seenOn.get(number);
    if (twin !== undefined) {
      const message = `"${heading}" has the number of the phase on line ${twin}`;
      problems.push({
        line,
        heading,
        message,
        fix: `Number it Phase ${expected}, and those after it in turn.`,
      });
      continue;
    }
    if (number !== expected) {
      const message =
        expected === 1
          ? `the first phase is "${heading}"`
          : `"${heading}" comes where Phase ${expected} should`;
      const fix =
        number > expected
          ? `Add Phase ${expected}, or number this one ${expected}.`
          : `Number it ${expected}.`;
      problems.push({ line, heading, message, fix: `${fix} Phases are numbered 1, 2, 3 … in order.` });
    }
    seenOn.set(number, line);
    expected = number + 1;
  }
  return problems;
}

function readSection(section: Section, document: OpenDocument, problems: DocumentProblem[]): Phase {
  const { number, title, heading, line } = section;
  const found = findRequirements(section.blocks);
  const { evidence, problems: wrong } = evidenceFields(found.mentions, found.shown);
  problems.push(...wrong.map((problem) => ({ ...problem, heading })));
  for (const long of found.tooLong) {
    const message = 'this paragraph is too long to be searched for requirements';
    problems.push({
      line: long,
      heading,
      message,
      fix: 'Split it, and put what must be provided into a list.',
    });
  }
  const asks = Object.keys(evidence).length > 0;
  if (!asks && found.noEvidence === undefined && wrong.length === 0) {
    problems.push({
      line,
      heading,
      message: `"${heading}" asks for no evidence, so nothing would gate it`,
      fix: 'Add a checkpoint list such as "- `function_count`: integer, at least 1", or say "No evidence required".',
    });
  }
  if (asks && found.noEvidence !== undefined) {
    const message = `"${heading}" says that no evidence is required, and asks for ${Object.keys(evidence).join(', ')}`;
    problems.push({ line: found.noEvidence, heading, message, fix: 'Remove one of the two.' });
  }
  const intro = introOf(section.blocks);
  const content = document.slice(line, section.endLine).trimEnd();
  return { number, title, heading, line, content, ...(intro === undefined ? {} : { intro }), evidence };
}

/** The first paragraph before any sub-heading that says something, rather than introduce a list. */
function introOf(blocks: readonly Block[]): string | undefined {
  const end = blocks.findIndex((block) => block.kind === 'heading');
  for (const block of end < 0 ? blocks : blocks.slice(0, end)) {
    if (block.kind !== 'paragraph') continue;
    const text = readInline(block.text.slice(0, MAX_INTRO)).text.replace(/\s+/g, ' ').trim();
    if (text !== '' && !text.endsWith(':')) return text;
  }
  return undefined;
}
