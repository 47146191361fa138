import { z } from "zod";
import type { ToolDefinition } from "../worlds/bundle.ts";
import type { VcsCompare } from "./ports/vendors.ts";

/** A repository at a ref. */
export interface RepositoryTarget {
  /** An https address (http and local paths only in workspaces that allow private addresses); no credential in it. */
  readonly url: string;
  /** A branch, a tag or a full commit; the default branch when absent. */
  readonly ref?: string | undefined;
  /** Sent to the repository's own host alone, never on a command line. */
  readonly token?: string | undefined;
}

/** What a repository's host lists. */
export interface RepositoryRef {
  readonly name: string;
  readonly kind: "branch" | "tag";
  readonly commit: string;
}

/** The files of one commit, read only: whoever runs them works on a copy (`copyTo`). */
export interface Checkout {
  readonly folder: string;
  /** The full commit. */
  readonly commit: string;
  /** The ref as the host calls it; the commit where that was asked for. */
  readonly ref: string;
  readonly files: number;
  readonly bytes: number;
  /** What the commit holds and the folder does not: links that lead outside, and submodules, which are not fetched. */
  readonly removed: readonly { readonly kind: "link" | "submodule"; readonly path: string }[];
}

/** A file that differs between two commits. */
export interface ChangedFile {
  readonly path: string;
  readonly change: "added" | "changed" | "removed";
}

/** A tool as its source defines it. */
export interface SourceTool {
  readonly tool: ToolDefinition;
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** A route that client code asks, and what that code reads of the answer: names and literals of source only. */
export const SourceRoute = z.object({
  /** `GET /orders/{}`: what is not literal is `{}`. */
  route: z.string(),
  file: z.string(),
  line: z.number().int(),

  /** The function that asks. */
  function: z.string(),

  /** How its answer is taken: members of it, as text, or whole. */
  forms: z.array(z.enum(["keyed", "text", "whole"])),

  /** Dotted paths read of the answer, `[]` for each element of a list. */
  keys: z.array(z.string()),

  /** Where a body that is taken whole goes: names of functions, `return` where it is answered as it is. */
  unkeyed: z.array(z.string()),

  /** Literals that members are compared with, by path: the codes this client knows. */
  codes: z.record(z.string(), z.array(z.string())),

  /** The environment variable that the route's address begins with, where one is seen. */
  base_env: z.string().optional(),
});
export type SourceRoute = z.infer<typeof SourceRoute>;

/** What the sources of a checkout say, read by parsers and never run. */
export interface SourceReading {
  readonly tools: readonly SourceTool[];
  readonly routes: readonly SourceRoute[];
  /** Requests in the code whose method or path is only known when they run; absent in readings of earlier versions. */
  readonly unread_asks?: number;
  /** Environment variables that the code reads, by name. */
  readonly env: readonly string[];
  /** Files that were parsed, by language, and those that no parser could read. */
  readonly files: Readonly<Record<"typescript" | "python", number>>;
  readonly unread: readonly string[];
}

/** Repositories that an org names: fetched by git without hooks, prompts or the service's own settings. Refusals are AppErrors. */
export interface Repositories {
  /** Branches and tags, by name. */
  refs(target: RepositoryTarget, signal: AbortSignal): Promise<RepositoryRef[]>;
  /** The files of a commit, fetched once per address and commit. Fails 422 where there is no such ref, 413 past the limits. */
  checkout(target: RepositoryTarget, signal: AbortSignal): Promise<Checkout>;
  /** What differs between two commits of a repository, by path. */
  changed(target: RepositoryTarget, from: string, to: string, signal: AbortSignal): Promise<ChangedFile[]>;
  /** What lies between where two commits parted and the second one, with counts of lines. */
  compare(target: RepositoryTarget, base: string, head: string, signal: AbortSignal): Promise<VcsCompare>;
  /** The paths of a checkout's files, with slashes, in order. */
  files(checkout: Checkout): Promise<string[]>;
  /** The text of one of them, at most 1 MiB; undefined where there is none of this path. */
  text(checkout: Checkout, path: string): Promise<string | undefined>;
  /** Copies a checkout into an existing empty folder, for a process to work in. */
  copyTo(checkout: Checkout, folder: string): Promise<void>;
  /** Reads a checkout's TypeScript, JavaScript and Python sources. */
  source(checkout: Checkout, signal: AbortSignal): Promise<SourceReading>;
}
