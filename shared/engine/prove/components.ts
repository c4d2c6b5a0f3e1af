// Strongly connected components (Tarjan 1972, without recursion): the groups of steps that can all reach one
// another. A step outside any loop is a group of its own. Linear in steps and edges.
//
//   C1  Each group lists its members in ascending order; `group[v]` is the position of v's group.
import type { Leaving } from './graph.ts';

export interface Components {
  readonly groups: readonly (readonly number[])[];
  readonly group: Int32Array;
}

export function stronglyConnected(leaving: Leaving): Components {
  const group = new Int32Array(leaving.length).fill(-1);
  const met = new Int32Array(leaving.length).fill(-1);
  const low = new Int32Array(leaving.length);
  const cursor = new Int32Array(leaving.length);
  const groups: number[][] = [];
  const open: number[] = [];
  let clock = 0;
  for (let root = 0; root < leaving.length; root++) {
    const path = met[root] === -1 ? [root] : [];
    while (path.length > 0) {
      const v = path.at(-1)!;
      if (met[v] === -1) {
        met[v] = low[v] = clock++;
        open.push(v);
      }
      const edge = leaving[v]![cursor[v]!];
      if (edge !== undefined) {
        // An edge to a step not yet met is looked at again, by the same cursor, once that step is done.
        if (edge.to !== null && met[edge.to] === -1) {
          path.push(edge.to);
          continue;
        }
        if (edge.to !== null && group[edge.to] === -1) low[v] = Math.min(low[v]!, low[edge.to]!);
        cursor[v]!++;
        continue;
      }
      path.pop();
      if (low[v] !== met[v]) continue;
      const members = open.splice(open.lastIndexOf(v)).sort((a, b) => a - b);
      for (const member of members) group[member] = groups.length;
      groups.push(members);
    }
  }
  return { groups, group };
}
