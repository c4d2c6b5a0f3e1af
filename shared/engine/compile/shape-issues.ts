// zod says "Invalid input" where several shapes were possible. What is wanted is what is wrong with the one
// that was meant: the branch that got furthest.
import type * as z from 'zod';

interface ShapeIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export function shapeIssues(issues: readonly z.core.$ZodIssue[]): ShapeIssue[] {
  return issues.flatMap((issue): ShapeIssue[] => {
    const branches = issue.code === 'invalid_union' ? issue.errors.filter((branch) => branch.length > 0) : [];
    const within = (inner: readonly z.core.$ZodIssue[]) =>
      shapeIssues(inner).map(({ path, message }) => ({ path: [...issue.path, ...path], message }));
    const meant = branches.find((branch) =>
      branch.every(({ code, path }) => code !== 'invalid_type' || path.length > 0),
    );
    if (meant) return within(meant);
    const expected = branches.flatMap((branch) =>
      branch.flatMap((inner) => (inner.code === 'invalid_type' ? [inner.expected] : [])),
    );
    if (expected.length === 0) return [issue];
    return [{ path: issue.path, message: `expected ${[...new Set(expected)].join(' or ')}` }];
  });
}
