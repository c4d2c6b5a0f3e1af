// Guards and decisions: CEL expressions, parsed and checked when a definition is loaded, never run as code.
//   X1  An expression cannot run long: no regular expressions, no macro inside a macro, bounded size, and each
//       guard it leans on, however often and through whichever others, is evaluated once.
//   X2  Evaluation never throws: what cannot be evaluated (a value that is not there yet) does not hold.
import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { didYouMean } from '../model/strict.ts';
import type { Json, JsonObject } from '../model/json.ts';

/** The variables every expression may name. */
export const VARIABLES = ['params', 'state', 'data', 'artifacts', 'evidence', 'shared'] as const;
export type Variables = Readonly<Record<(typeof VARIABLES)[number], JsonObject>>;

/** Artifacts the delivery seed names without their prefix. */
const SHORTHAND_ARTIFACTS = ['commit_sha', 'files_changed', 'test_results'] as const;

export type Evaluation =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly reason: string };

export interface CompiledExpression {
  readonly source: string;
  /** Dotted paths it reads, e.g. artifacts.commit_sha. */
  readonly reads: readonly string[];
  readonly evaluate: (variables: Variables) => Evaluation;
}

const MACROS = new Set(['map', 'filter', 'all', 'exists', 'exists_one']);
const LIMITS = {
  maxAstNodes: 300,
  maxDepth: 24,
  maxListElements: 100,
  maxMapEntries: 50,
  maxCallArguments: 8,
};
const EXISTS = /([A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*)\s+(not\s+)?exists\b(?!\s*\()/g;
const STRING_LITERALS = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/;

/** What one expression is by itself: its program, and the artifacts it names without their prefix. */
interface Bare {
  readonly program: (scope: Record<string, unknown>) => unknown;
  readonly shorthand: readonly string[];
  readonly reads: readonly string[];
}

interface NamedGuard extends Bare {
  readonly name: string;
  readonly position: number;
  /** All it leans on, through others too, in the order of their definition. */
  readonly needs: readonly NamedGuard[];
}

const MAX_GUARDS = 500;

/** One per definition: knows its guards by name and compiles its expressions. */
export class Expressions {
  readonly #environment: Environment;
  readonly #guards = new Map<string, NamedGuard>();
  readonly #shorthand: Set<string>;
  /** To search a large definition for what was meant is costly: it is done for the first few. */
  #suggestions = 20;

  constructor(outputs: readonly string[] = []) {
    this.#shorthand = new Set([
      ...SHORTHAND_ARTIFACTS,
      ...outputs.filter((name) => /^[A-Za-z_]\w*$/.test(name)),
    ]);
    this.#environment = newEnvironment();
    for (const name of VARIABLES) this.#environment.registerVariable(name, 'map');
    for (const name of this.#shorthand) if (!this.#declare(name, 'dyn')) this.#shorthand.delete(name);
  }

  /** False for a name the language keeps to itself (`in`, `__proto__`), or that is taken. */
  #declare(name: string, type: 'dyn' | 'bool'): boolean {
    try {
      this.#environment.registerVariable(name, type);
      return true;
    } catch {
      return false;
    }
  }

  /** A named guard: from now on its name is a boolean. A guard may name those defined before it. */
  defineGuard(name: string, source: string): void {
    if (this.#guards.has(name)) throw new ExpressionError(`guard "${name}" is defined twice`);
    if ((VARIABLES as readonly string[]).includes(name))
      throw new ExpressionError(`guard "${name}" hides the variable of that name`);
    if (this.#guards.size >= MAX_GUARDS)
      throw new ExpressionError(`there are more than ${MAX_GUARDS} guards`);
    const { bare, needs } = this.#read(source, 'bool');
    if (!/^[A-Za-z_]\w*$/.test(name) || !(this.#shorthand.has(name) || this.#declare(name, 'bool')))
      throw new ExpressionError(`an expression cannot name a guard "${name}"; use letters, digits and "_"`);
    this.#guards.set(name, { ...bare, name, needs, position: this.#guards.size });
  }

  /** Throws an ExpressionError that says what is wrong and how to mend it. */
  compile(source: string, wanted: 'bool' | 'string' | 'any'): CompiledExpression {
    const { bare, needs } = this.#read(source, wanted);
    const shorthand = [...new Set([bare, ...needs].flatMap((part) => part.shorthand))];
    const reads = [...new Set([bare, ...needs].flatMap((part) => part.reads))];
    const evaluate = (variables: Variables): Evaluation => {
      const scope: Record<string, unknown> = { ...variables };
      for (const name of shorthand)
        if (Object.hasOwn(variables.artifacts, name)) scope[name] = variables.artifacts[name];
      for (const guard of needs) {
        const result = run(guard, scope);
        scope[guard.name] = result.ok && result.value === true;
      }
      return run(bare, scope);
    };
    return { source, reads, evaluate };
  }

  #read(source: string, wanted: 'bool' | 'string' | 'any'): { bare: Bare; needs: readonly NamedGuard[] } {
    const program = this.#parse(source);
    const names = rootNames(program.ast);
    const unknown = names.find((name) => !this.#knows(name));
    if (unknown !== undefined) {
      const known = this.#suggestions-- > 0 ? [...VARIABLES, ...this.#guards.keys(), ...this.#shorthand] : [];
      throw new ExpressionError(`"${unknown}" is not a known variable${didYouMean(unknown, known)}`);
    }
    const checked = program.check();
    if (!checked.valid) throw new ExpressionError(firstLine(checked.error));
    if (wanted !== 'any' && checked.type !== wanted && checked.type !== 'dyn') {
      throw new ExpressionError(`gives a ${checked.type}, but a ${wanted} is needed here`);
    }
    const guards = names.flatMap((name) => this.#guards.get(name) ?? []);
    const needs = [...new Set(guards.flatMap((guard) => [...guard.needs, guard]))];
    return {
      bare: {
        program: (scope) => program(scope) as unknown,
        shorthand: names.filter((name) => !this.#guards.has(name) && this.#shorthand.has(name)),
        reads: paths(program.ast, this.#shorthand),
      },
      needs: needs.sort((a, b) => a.position - b.position),
    };
  }

  #knows(name: string): boolean {
    return (
      (VARIABLES as readonly string[]).includes(name) || this.#guards.has(name) || this.#shorthand.has(name)
    );
  }

  #parse(source: string) {
    try {
      const program = this.#environment.parse(translate(source));
      refuseBanned(program.ast);
      return program;
    } catch (error) {
      if (error instanceof ExpressionError) throw error;
      throw new ExpressionError(`does not parse: ${firstLine(error)}`);
    }
  }
}

export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

function run({ program }: Bare, scope: Record<string, unknown>): Evaluation {
  try {
    return { ok: true, value: toJson(program(scope)) };
  } catch (error) {
    return { ok: false, reason: firstLine(error) };
  }
}

/** A guard holds only if it evaluates to true. */
export function holds(expression: CompiledExpression | undefined | null, variables: Variables): boolean {
  const result = expression?.evaluate(variables);
  return result?.ok === true && result.value === true;
}

/** Which of the things an expression reads are not there at all. */
export function absent(expression: CompiledExpression, variables: Variables): string[] {
  return expression.reads.filter((path) => {
    let value: unknown = variables;
    for (const part of path.split('.')) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return true;
      value = (value as Record<string, unknown>)[part]; // own property, checked above
    }
    return false;
  });
}

/** The seeds write `artifacts.commit_sha exists`; CEL writes `has(artifacts.commit_sha)`. */
function translate(source: string): string {
  return source
    .split(STRING_LITERALS)
    .map((part, position) =>
      position % 2 === 1
        ? part
        : part.replace(
            EXISTS,
            (_, path: string, not?: string) =>
              `${not ? '!' : ''}has(${path.includes('.') ? path : `artifacts.${path}`})`,
          ),
    )
    .join('');
}

/** JSON has one kind of number, CEL has two: let arithmetic mix them. */
function newEnvironment(): Environment {
  const environment = new Environment({
    unlistedVariablesAreDyn: false,
    homogeneousAggregateLiterals: false,
    limits: LIMITS,
  });
  const operators: Record<string, (a: number, b: number) => number> = {
    '+': (a, b) => a + b,
    '-': (a, b) => a - b,
    '*': (a, b) => a * b,
    '/': (a, b) => a / b,
    '%': (a, b) => a % b,
  };
  for (const [operator, compute] of Object.entries(operators)) {
    const mixed = (a: unknown, b: unknown) => compute(Number(a), Number(b));
    environment.registerOperator(`double ${operator} int`, mixed);
    environment.registerOperator(`int ${operator} double`, mixed);
    if (operator === '%') environment.registerOperator('double % double', mixed);
  }
  return environment;
}

function refuseBanned(root: ASTNode): void {
  const open: { node: ASTNode; insideMacro: boolean }[] = [{ node: root, insideMacro: false }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { node, insideMacro } = item;
    const name = node.op === 'call' || node.op === 'rcall' ? node.args[0] : '';
    if (name === 'matches')
      throw new ExpressionError(
        'matches() is not allowed (a pattern can run for minutes); use contains(), startsWith() or ==',
      );
    const macro = node.op === 'rcall' && MACROS.has(name);
    if (macro && insideMacro)
      throw new ExpressionError(`${name}() inside another macro is not allowed (its cost multiplies)`);
    for (const child of children(node)) open.push({ node: child, insideMacro: insideMacro || macro });
  }
}

function children(node: ASTNode): ASTNode[] {
  const found: ASTNode[] = [];
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === 'object' && value !== null && 'op' in value && 'args' in value)
      found.push(value as ASTNode); // the parser's own nodes
  };
  collect(node.args);
  return found;
}

/** Names that stand for themselves: not fields, not the bound variable of a macro. */
function rootNames(root: ASTNode): string[] {
  const names = new Set<string>();
  const open: { node: ASTNode; bound: readonly string[] }[] = [{ node: root, bound: [] }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { node, bound } = item;
    if (node.op === 'id' && !bound.includes(node.args)) names.add(node.args);
    const variable = node.op === 'rcall' && MACROS.has(node.args[0]) ? node.args[2][0] : undefined;
    const inner = variable?.op === 'id' ? [...bound, variable.args] : bound;
    for (const child of children(node)) open.push({ node: child, bound: inner });
  }
  return [...names];
}

function paths(root: ASTNode, shorthand: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const open: ASTNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const path = dotted(node);
    const head = path?.split('.')[0] ?? '';
    if (path !== null && shorthand.has(head)) found.push(`artifacts.${path}`);
    else if (path?.includes('.') && (VARIABLES as readonly string[]).includes(head)) found.push(path);
    else open.push(...children(node));
  }
  return found;
}

function dotted(node: ASTNode): string | null {
  if (node.op === 'id') return node.args;
  if (node.op !== '.') return null;
  const left = dotted(node.args[0]);
  return left === null ? null : `${left}.${node.args[1]}`;
}

function toJson(value: unknown): Json {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(toJson);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) return value as Json; // came from JSON
  throw new ExpressionError('gives a value that JSON cannot carry');
}

const firstLine = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
