import { z } from "zod";
import { uncovered } from "../../code-host/repository-access.ts";
import { needInstallation } from "../../code-host/vcs-installation.ts";
import type { Ctx } from "../../context.ts";
import { orgRef } from "../../fields.ts";
import { everyRow, type PageInput, pageInput, sliceOf } from "../../page.ts";
import type { InstalledRepository, VcsRef } from "../../ports/vendors.ts";
import { Agent, SurfaceVersion } from "../../records/agents/agents.ts";

/** A version that was made from a commit: of an agent, or of a surface agent's server. */
export interface Recorded {
  readonly agent: string;
  /** Its name, or the id of the surface version's row. */
  readonly version: string;
  readonly sha: string;
  readonly branch?: string | undefined;
  readonly created_at: number;
}

export const repository = z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, "write owner/name");
export const kind = z.enum(["branch", "tag", "pull"]);

/** What `vcs_refs` takes. */
export const RefsInput = z.object({ ...orgRef, repository, kind: kind.optional(), ...pageInput });
export type RefsInput = z.output<typeof RefsInput>;

/** The refs of a covered repository as they stand now, each with the versions that were made from its commit. */
export async function listRefs(ctx: Ctx, input: RefsInput) {
  const place = await covered(ctx, input.repository);
  const known = (await recordedVersions(ctx)).get(place.repository) ?? [];
  const refs = await ctx.vendors.vcs.refs(place, ctx.signal);
  const { items, next } = sliceOf(
    refs.filter(({ kind }) => input.kind === undefined || kind === input.kind),
    input,
  );
  const versions = (sha: string) =>
    known.filter((row) => row.sha === sha).map(({ agent, version }) => ({ agent, version }));
  return {
    org: ctx.org.tag,
    repository: place.repository,
    refs: items.map((ref) => ({ ...ref, versions: versions(ref.sha) })),
    ...(next === undefined ? {} : { next }),
  };
}

/**
 * Branches and open pull requests of the repositories that agents are made from, as far as they hold commits that the
 * newest recorded version of that branch, else of that repository, does not. A branch with a pull request is told once.
 */
export async function listUnrecorded(ctx: Ctx, input: PageInput & { readonly repository?: string | undefined }) {
  const { installation_id, repositories } = await needInstallation(ctx);
  const all = await recordedVersions(ctx);
  if (input.repository !== undefined) await covered(ctx, input.repository);
  const names = [...all.keys()].filter((name) => input.repository === undefined || name === input.repository).sort();
  const candidates: { place: InstalledRepository; ref: VcsRef; since: Recorded }[] = [];
  for (const repository of names.filter((name) => repositories.includes(name))) {
    const place = { installation: installation_id, repository };
    const known = all.get(repository) ?? [];
    const shas = new Set(known.map((row) => row.sha));
    const refs = await ctx.vendors.vcs.refs(place, ctx.signal);
    const pulled = new Set(refs.filter(({ kind }) => kind === "pull").map(({ branch }) => branch));
    for (const ref of refs) {
      const told = ref.kind === "pull" || (ref.kind === "branch" && !pulled.has(ref.name));
      const since = known.findLast((row) => row.branch === (ref.branch ?? ref.name)) ?? known.at(-1);
      if (told && since && !shas.has(ref.sha)) candidates.push({ place, ref, since });
    }
  }
  const { items, next } = sliceOf(candidates, input);
  const refs = [];
  for (const { place, ref, since } of items) {
    const { ahead } = await ctx.vendors.vcs.compare(place, since.sha, ref.sha, ctx.signal);
    const { agent, version, sha } = since;
    if (ahead > 0) refs.push({ repository: place.repository, ...ref, commits: ahead, since: { agent, version, sha } });
  }
  return { org: ctx.org.tag, repositories: names, refs, ...(next === undefined ? {} : { next }) };
}

async function covered(ctx: Ctx, repository: string): Promise<InstalledRepository> {
  const { installation_id, repositories } = await needInstallation(ctx);
  if (!repositories.includes(repository)) throw uncovered();
  return { installation: installation_id, repository };
}

/** What is recorded of each repository (`owner/name`), oldest first. A server's base counts for what is made from it. */
async function recordedVersions(ctx: Ctx): Promise<Map<string, Recorded[]>> {
  const rows: (Recorded & { readonly repo: string })[] = [];
  const servers = new Map<string, string>();
  for await (const agent of everyRow((page) => ctx.store.records.list(Agent, page))) {
    for (const { version, origin, created_at } of agent.versions)
      if (origin?.repo !== undefined && origin.sha !== undefined)
        rows.push({ repo: origin.repo, agent: agent.id, version, sha: origin.sha, branch: origin.ref, created_at });
    const { server } = agent;
    if (server?.repo === undefined) continue;
    servers.set(agent.id, server.repo);
    const { repo, base_sha: sha, ref: branch, at: created_at } = server;
    rows.push({ repo, agent: agent.id, version: "base", sha, branch, created_at });
  }
  for await (const row of everyRow((page) => ctx.store.records.list(SurfaceVersion, page))) {
    const { id: version, agent, sha, branch, created_at } = row;
    const repo = servers.get(agent);
    if (repo !== undefined) rows.push({ repo, agent, version, sha, branch, created_at });
  }
  rows.sort((a, b) => a.created_at - b.created_at);
  return Map.groupBy(rows, ({ repo }) => repo);
}
