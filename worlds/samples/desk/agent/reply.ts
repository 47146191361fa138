/** What a tool said: data where it is JSON, and whether it is a refusal. */
export interface ParsedReply {
  readonly text: string;
  readonly refused: boolean;
  readonly value: unknown;
}

/** Makes sense of a tool's answer, given as text and error flag. */
export type Reader = (text: string, isError: boolean) => ParsedReply;

function parsed(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/**
 * How each release of the agent reads answers. Release 2 holds the fault that the sample plants: its shorter reader
 * takes every answer for a record and loses the error flag, so that the rest of the agent never hears of a refusal.
 */
export const READERS: Readonly<Record<string, Reader>> = {
  "1": (text, isError) => ({ text, refused: isError, value: parsed(text, text) }),
  "2": (text) => ({ text, refused: false, value: parsed(text, {}) }),
};
