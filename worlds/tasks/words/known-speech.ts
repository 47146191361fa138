import type { Corpus, Frame } from "./corpus.ts";

type Register = Frame["register"];

/** Of a voice, what its register follows from. */
interface Speaking {
  readonly register: Register;
  readonly corpus?: Corpus | undefined;
  readonly chosen?: boolean | undefined;
  readonly told?: { register?: Register };
}

/** Whether somebody of the evidence speaks in a register; who is terse says what all say. */
export function speaks({ frames }: Corpus, register: Register): boolean {
  return register === "terse" || Object.values(frames).some((of) => of.some((frame) => frame.register === register));
}

/** A voice in a register that somebody of the evidence has: who only heard short orders gives them. */
export function asUsersSpeak<V extends Speaking>(voice: V, register: Register): V {
  const { corpus, chosen, told } = voice;
  if (!corpus?.enough || !told || chosen || speaks(corpus, voice.register)) return voice;
  told.register = register;
  return { ...voice, register };
}
