import type { World } from "../../../worlds/world-api.ts";

/** A world as opened for use: calls are journaled before they are answered. */
export interface OpenWorld {
  readonly id: string;
  /** What its server calls itself: the label that it was minted with, else what it is a copy of and its id. */
  readonly name: string;
  readonly bundle: string;
  /** Whether an address with this bundle is the world's: its own, or one that it was handed out with before a new draw. */
  at(bundle: string): boolean;
  /** Whether a caller minted it: it is no trial's. */
  readonly minted: boolean;
  /** The world itself, for reading (state, diff, peek). Calls that must be kept go through `call`. */
  readonly world: World;
  call: (tool: string, args: Record<string, unknown>) => Promise<ReturnType<World["call"]>>;
  /** Back to the drawn state; the journal is cleared. */
  reset(): Promise<void>;
}

/** The org's worlds: opened on demand from base and journal, put away when idle. */
export interface WorldHost {
  /** Opens a minted world of this org; undefined when there is none. With `toCall` it may be behind until its next call. */
  open(world: string, options?: { readonly toCall?: boolean }): Promise<OpenWorld | undefined>;
  /** Lets go of a world's memory; its record and journal stay. */
  close(world: string): void;
  /** Forgets a world whose record stands on another state now: who holds it is refused, and the next opening reads it anew. */
  drop(world: string): void;
  /** The MCP endpoint of a world. */
  url(bundle: string, world: string): string;
}
