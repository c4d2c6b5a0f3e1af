// Canonical JSON and SHA-256, pure and synchronous: the same content has the same digest anywhere.
import type { StepRecord } from './model/state.ts';

/** Keys sorted at every level, so that key order does not matter. Recursion is bounded by J2. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`);
    return `{${fields.join(',')}}`;
  }
  return JSON.stringify(value ?? null);
}

/** What an approval is about: the step's own artifacts and evidence. */
export function digestOf(record: Pick<StepRecord, 'artifacts' | 'evidence'>): string {
  return sha256(canonical({ artifacts: record.artifacts, evidence: record.evidence }));
}

/** The first primes' cube roots and square roots, as FIPS 180-4 asks, worked out once. */
const { K, H } = constants();

function constants() {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p !== 0)) primes.push(n);
  const fraction = (x: number) => Math.floor((x - Math.floor(x)) * 2 ** 32) | 0;
  return {
    K: primes.map((p) => fraction(Math.cbrt(p))),
    H: primes.slice(0, 8).map((p) => fraction(Math.sqrt(p))),
  };
}

export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const blocks = new Uint8Array(((bytes.length + 72) >> 6) << 6);
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setUint32(blocks.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(blocks.length - 4, bytes.length << 3);
  const hash = Int32Array.from(H);
  const w = new Int32Array(64);
  for (let offset = 0; offset < blocks.length; offset += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(offset + i * 4);
    compress(hash, w);
  }
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

const rotate = (x: number, n: number) => (x >>> n) | (x << (32 - n));
const at = (words: Int32Array | readonly number[], i: number) => words[i] ?? 0;

function compress(hash: Int32Array, w: Int32Array): void {
  for (let i = 16; i < 64; i++) {
    const a = at(w, i - 15);
    const b = at(w, i - 2);
    const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
    const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
    w[i] = at(w, i - 16) + s0 + at(w, i - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(K, i) + at(w, i)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] = at(hash, i) + word));
}
