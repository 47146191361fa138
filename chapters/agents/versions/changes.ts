import { auditAct } from "../../audit.ts";
import { openRepository } from "../../code-host/repository-access.ts";
import type { Ctx } from "../../context.ts";
import { conflict, notFound } from "../../errors.ts";
import { type AgentDoc, findAgent, type VersionDoc } from "../../find-agent.ts";
import type { VersionChanges } from "../../records/agents/version.ts";
import { changeDoc } from "../save.ts";
import { changesOf } from "./change-areas.ts";

interface VersionInput {
  readonly aid: string;
  readonly version: string;
}

/** What is kept of a version's changed files. One that no ref made, or that was not read, answers none and says so. */
export async function getChanges(ctx: Ctx, input: VersionInput) {
  const { version } = await versionNamed(ctx, input);
  return { version: version.version, changes: version.changes ?? none(version) };
}

/**
 * Reads the files that differ between where a version's head parted from its base and the head, through the code host's
 * app where the repository is the host's, and keeps them. Once read they are answered as kept, with `same`.
 */
export async function readChanges(ctx: Ctx, input: VersionInput) {
  const { agent, version } = await versionNamed(ctx, input);
  if (version.changes !== undefined) return { version: version.version, same: true, changes: version.changes };
  const url = repositoryOf(agent, version);
  const head = version.origin?.sha;
  if (url === undefined || head === undefined)
    throw conflict("This version was made by no repository ref, so no files lie behind it.");
  const access = await openRepository(ctx, url, "covered");
  const base = await baseOf(agent, version, async () => (await access.commit(undefined)).sha);
  const found = await access.compare(base, head);
  const changes = changesOf(found, head, access.repo === undefined ? "git" : "code_host");
  const kept = await changeDoc(ctx, agent.id, (doc) => ({
    doc: {
      ...doc,
      versions: doc.versions.map((row) =>
        row.version === version.version && row.changes === undefined ? { ...row, changes } : row,
      ),
    },
  }));
  await auditAct(ctx, "version_changes_read", { agent: agent.id, files: changes.files });
  const now = kept.versions.find((row) => row.version === version.version)?.changes;
  return { version: version.version, same: false, changes: now ?? changes };
}

/** A version by its name, its ref, or its commit (seven digits or more); of several the newest. */
export async function versionNamed(
  ctx: Ctx,
  input: VersionInput,
): Promise<{ readonly agent: AgentDoc; readonly version: VersionDoc }> {
  const agent = await findAgent(ctx, input.aid);
  const { version: named } = input;
  const commit = /^[0-9a-f]{7,40}$/.test(named) ? named : undefined;
  const ref = named.replace(/^refs\/heads\//, "");
  const found =
    agent.versions.find((row) => row.version === named) ??
    agent.versions.findLast(
      ({ origin }) => origin?.ref !== undefined && origin.ref.replace(/^refs\/heads\//, "") === ref,
    ) ??
    agent.versions.findLast(({ origin }) => commit !== undefined && origin?.sha?.startsWith(commit));
  if (!found) throw notFound("agent version");
  return { agent, version: found };
}

function repositoryOf(agent: AgentDoc, { target, origin }: VersionDoc): string | undefined {
  if (target.kind === "repository") return target.url;
  return origin?.kind === "branch" ? agent.server?.url : undefined;
}

/** What a version is held against: its server's base, the version before of the same repository, else the default branch. */
async function baseOf(agent: AgentDoc, version: VersionDoc, defaultBranch: () => Promise<string>): Promise<string> {
  if (version.target.kind === "surface" && agent.server) return agent.server.base_sha;
  const at = agent.versions.indexOf(version);
  const before = agent.versions.slice(0, Math.max(0, at)).findLast(({ origin }) => origin?.sha !== undefined);
  const sameRepository =
    before?.target.kind === "repository" &&
    version.target.kind === "repository" &&
    before.target.url === version.target.url;
  return (sameRepository ? before.origin?.sha : undefined) ?? defaultBranch();
}

function none(version: VersionDoc): Partial<VersionChanges> & Pick<VersionChanges, "line"> {
  return {
    line:
      version.origin?.sha === undefined
        ? "This version was made by no repository ref: no files are known to have changed."
        : "The changed files of this version were not read yet.",
  };
}
