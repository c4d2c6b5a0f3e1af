// Immediate dominators of a flow graph, after Lengauer and Tarjan (1979) with path compression:
// O(edges × log nodes) on any graph. The simpler iterative methods turn quadratic on a long chain whose
// steps all lead back to its start, which is what a workflow with rejections looks like.
//
//   D1  idom[v] is the last node before v that lies on every path from the root to v.
//   D2  The root and whatever it cannot reach have -1.

export function immediateDominators(arcs: readonly (readonly number[])[], root: number): Int32Array {
  const { vertex, order, parent } = depthFirst(arcs, root);
  const count = vertex.length;
  // From here on a node is its depth-first number.
  const before: number[][] = vertex.map(() => []);
  for (const [v, node] of vertex.entries()) {
    for (const target of arcs[node]!) before[order[target]!]!.push(v);
  }
  const semi = Int32Array.from({ length: count }, (_, v) => v);
  const label = semi.slice();
  const linked = new Int32Array(count).fill(-1);
  const lowest = (v: number) => lowestAbove(v, semi, linked, label);
  const waiting: number[][] = vertex.map(() => []);
  const idom = new Int32Array(count).fill(-1);
  for (let v = count - 1; v > 0; v--) {
    for (const u of before[v]!) semi[v] = Math.min(semi[v]!, semi[lowest(u)]!);
    waiting[semi[v]!]!.push(v);
    const above = parent[v]!;
    linked[v] = above;
    for (const w of waiting[above]!.splice(0)) {
      const low = lowest(w);
      idom[w] = semi[low]! < semi[w]! ? low : above;
    }
  }
  for (let v = 1; v < count; v++) {
    if (idom[v] !== semi[v]) idom[v] = idom[idom[v]!]!;
  }
  const result = new Int32Array(arcs.length).fill(-1);
  for (let v = 1; v < count; v++) result[vertex[v]!] = vertex[idom[v]!]!;
  return result;
}

/** Nodes in the order a depth-first walk meets them; `order` is its inverse, `parent` speaks in that order. */
function depthFirst(arcs: readonly (readonly number[])[], root: number) {
  const order = new Int32Array(arcs.length).fill(-1);
  const vertex: number[] = [];
  const parent: number[] = [];
  const stack: [node: number, parent: number][] = [[root, -1]];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [node, above] = next;
    if (order[node] !== -1) continue;
    const number = (order[node] = vertex.push(node) - 1);
    parent.push(above);
    for (const target of arcs[node]!) if (order[target] === -1) stack.push([target, number]);
  }
  return { vertex, order, parent };
}

/** Asks, in the part of the tree linked so far, for the node on the way up from v whose `semi` is lowest. */
function lowestAbove(v: number, semi: Int32Array, linked: Int32Array, label: Int32Array): number {
  if (linked[v] === -1) return v;
  const path: number[] = [];
  for (let u = v; linked[linked[u]!] !== -1; u = linked[u]!) path.push(u);
  for (const u of path.reverse()) {
    const above = linked[u]!;
    if (semi[label[above]!]! < semi[label[u]!]!) label[u] = label[above]!;
    linked[u] = linked[above]!;
  }
  return label[v]!;
}
