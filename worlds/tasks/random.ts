/** A seeded generator: the same seed gives the same draws on any machine. */
export interface Random {
  /** 0 ≤ x < 1. */
  next(): number;
  /** 0 ≤ i < n. */
  below(n: number): number;
  pick<T>(items: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
  /** A generator of its own, named: draws here do not move draws there. */
  fork(name: string): Random;
}

function hash(text: string): number {
  let h = 2166136261;
  for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  h = Math.imul(h ^ (h >>> 16), 2246822507);
  return (h ^ (h >>> 13)) >>> 0;
}

/** A generator from a seed text (splitmix32). */
export function random(seed: string): Random {
  let state = hash(seed);
  const next = () => {
    state = (state + 0x9e3779b9) | 0;
    let t = state ^ (state >>> 16);
    t = Math.imul(t, 0x21f0aaad);
    t ^= t >>> 15;
    t = Math.imul(t, 0x735a2d97);
    return ((t ^ (t >>> 15)) >>> 0) / 4294967296;
  };
  const below = (n: number) => Math.floor(next() * n);
  return {
    next,
    below,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
    shuffled: <T>(items: readonly T[]): T[] => {
      const out = [...items];
      for (let i = out.length - 1; i > 0; i -= 1) {
        const j = below(i + 1);
        [out[i], out[j]] = [out[j] as T, out[i] as T];
      }
      return out;
    },
    fork: (name) => random(`${seed}\u001f${name}`),
  };
}

/** One of each source in turn, while each has some. */
export function* inTurn<T>(...sources: Iterator<T, unknown>[]): Generator<T> {
  for (let from = sources; from.length > 0; ) {
    for (const source of from) {
      const next = source.next();
      if (next.done) from = from.filter((other) => other !== source);
      else yield next.value;
    }
  }
}
