// A table of requirements: one field a row. Known column names decide; inside a checkpoint the first column will do.
import type { Row, Table } from './blocks.ts';
import { yesOrNo } from './facts.ts';
import { namedFields } from './field-names.ts';
import { joinLines, type Line, readInline } from './inline.ts';
import type { Scope } from './labels.ts';
import { type Mention, mention } from './mention.ts';
import { bare } from './phrases.ts';
import { typeFromWord, valueFromText } from './types.ts';
import { COLUMNS } from './wording.ts';

type Column = keyof typeof COLUMNS | 'said';

export function readTable(table: Table, scope: Scope): Mention[] {
  if (scope.section === 'example') return [];
  const columns = table.header.map(columnOf);
  const checkpoint = scope.section === 'checkpoint';
  const field = fieldColumn(columns, checkpoint);
  if (field === undefined) return [];
  const known = columns[field] === 'field' || columns[field] === 'name';
  return table.rows.flatMap((row) => readRow(row, columns, { at: field, known }, scope));
}

function columnOf(header: string): Column {
  const text = readInline(header).text.trim().toLowerCase();
  // Object.entries forgets the key type; COLUMNS' own type guarantees it.
  for (const [column, names] of Object.entries(COLUMNS) as [keyof typeof COLUMNS, readonly string[]][]) {
    if (names.includes(text) || (text !== '' && names.includes(bare(text)))) return column;
  }
  return 'said';
}

function fieldColumn(columns: readonly Column[], checkpoint: boolean): number | undefined {
  const field = columns.indexOf('field');
  if (field >= 0) return field;
  const name = columns.indexOf('name');
  const typed = columns.some((column) => column === 'type' || column === 'required' || column === 'optional');
  if (name >= 0 && (checkpoint || typed)) return name;
  if (!checkpoint) return undefined;
  const first = columns.findIndex((column) => column !== 'ignored');
  return first < 0 ? undefined : first;
}

function readRow(
  row: Row,
  columns: readonly Column[],
  field: { at: number; known: boolean },
  scope: Scope,
): Mention[] {
  const cells = row.cells.map((cell) => readInline(cell));
  const named = fieldOfCell(cells[field.at], field.known);
  if (named === undefined) return [];
  const others = cells.filter(
    (cell, index) => index !== field.at && columns[index] === 'said' && cell.text.trim() !== '',
  );
  const said = others.reduce<Line>(
    (all, cell) => (all.text === '' ? cell : joinLines(all, cell, '; ')),
    emptyLine(),
  );
  const read = mention(named, said, { line: row.line });
  const type = typeFromWord(textOf(cells, columns, 'type') ?? '');
  if (type !== undefined) read.facts.stated = type;
  const example = exampleOf(cells[columns.indexOf('example')]);
  if (example !== undefined) read.facts.example = example;
  const required = requiredOf(cells, columns);
  if (required !== undefined) read.facts.required = required;
  else if (scope.optional) read.facts.required ??= false;
  return [read];
}

/** In a column called "field" a plain word is a name; elsewhere it has to be marked or snake_case. */
function fieldOfCell(cell: Line | undefined, known: boolean) {
  if (cell === undefined || cell.text.trim() === '') return undefined;
  const [first] = namedFields(cell, true);
  if (first !== undefined && cell.text.slice(0, first.start).trim() === '') return first;
  if (!known || cell.marks.length > 0) return undefined;
  return namedFields(
    { text: cell.text.trim(), marks: [{ start: 0, end: cell.text.trim().length, kind: 'bold' }] },
    true,
  )[0];
}

function requiredOf(cells: readonly Line[], columns: readonly Column[]): boolean | undefined {
  const required = textOf(cells, columns, 'required');
  if (required !== undefined) return yesOrNo(required);
  const optional = textOf(cells, columns, 'optional');
  const answer = optional === undefined ? undefined : yesOrNo(optional);
  if (answer === undefined) return undefined;
  return optional?.trim().toLowerCase() === 'required'
    ? true
    : optional?.trim().toLowerCase() === 'optional'
      ? false
      : !answer;
}

function exampleOf(cell: Line | undefined): Mention['facts']['example'] {
  const text = cell?.text.trim() ?? '';
  return text === '' ? undefined : { ...valueFromText(text), all: [text] };
}

function textOf(cells: readonly Line[], columns: readonly Column[], column: Column): string | undefined {
  const at = columns.indexOf(column);
  return at < 0 ? undefined : (cells[at]?.text ?? '');
}

const emptyLine = (): Line => ({ text: '', marks: [] });
