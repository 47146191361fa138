import { randomBytes } from "node:crypto";
import { z } from "zod";
import { auditAct } from "../audit.ts";
import { actor, type Ctx } from "../context.ts";
import { badField, badRequest, conflict, forbidden } from "../errors.ts";
import { byField, orgRef } from "../fields.ts";
import { everyRow, type PageInput, sliceOf } from "../page.ts";
import { type Doc, idOfValue } from "../record.ts";
import { VcsInstallation, VcsState } from "../records/agents/agents.ts";

type InstallationDoc = Doc<typeof VcsInstallation>;

/** An org has one installation of the code host's app, under a fixed id. */
export const VCS_INSTALLATION_ID = "vi_org";
/** How long an installation may be under way at the code host, seconds. */
const LIFE = 3_600;
/** How far the host's clock may stand from ours, seconds. */
const SKEW = 120;

/** An installation as answered. */
export const InstallationView = z.object({
  installation_id: z.number().int(),
  app_id: z.number().int().optional(),
  account: z.string(),
  repositories: z.number().int().describe("How many repositories it covers."),
  by: z.string(),
  created_at: z.number(),
  updated_at: z.number(),
});

/** The org's installation of the code host's app; undefined when it has none. */
export async function vcsInstallation(ctx: Ctx): Promise<InstallationDoc | undefined> {
  return ctx.store.records.get(VcsInstallation, VCS_INSTALLATION_ID);
}

/** The same, refused in words when there is none. */
export async function needInstallation(ctx: Ctx): Promise<InstallationDoc> {
  const found = await vcsInstallation(ctx);
  if (!found) throw conflict("The code host's app is not installed for this org; begin with vcs_installations_post.");
  return found;
}

/** The installation as stored, and whether the operator set an app. Nothing is asked of the host. */
export async function getInstallation(ctx: Ctx) {
  const found = await vcsInstallation(ctx);
  return { org: ctx.org.tag, app: { ...ctx.vendors.vcs.app }, installation: found ? view(found) : null };
}

/** Begins an installation: the host's page to send a person to, with a state that is this org's once, for an hour. */
export async function beginInstallation(ctx: Ctx, input: { readonly by?: string | undefined }) {
  const state = randomBytes(32).toString("base64url");
  const install_url = await ctx.vendors.vcs.installUrl(state, ctx.signal);
  await clearOld(ctx);
  const now = ctx.now();
  const doc = { id: idOfValue(VcsState, state), created_at: now, by: actor(ctx, input.by), expires_at: now + LIFE };
  await ctx.store.records.insert(VcsState, doc);
  await auditAct(ctx, "vcs_installation_begun", {}, input.by);
  return { org: ctx.org.tag, state, install_url, expires_at: doc.expires_at };
}

/** What `vcs_installation_post` takes. */
export const RecordInput = z.object({
  ...orgRef,
  installation_id: z.number().int().min(1).optional().describe("The code host's number of it."),
  state: z.string().min(1).max(200).optional().describe("As vcs_installations_post made it."),
  ...byField,
});
export type RecordInput = z.output<typeof RecordInput>;

/**
 * Records the installation that a person came back from, or reads the recorded one's repositories anew. Whose it is has
 * to be shown: the state was begun by this org, and the app was installed after that. One installation is one org's.
 */
export async function recordInstallation(ctx: Ctx, input: RecordInput) {
  const before = await vcsInstallation(ctx);
  const id = input.installation_id ?? before?.installation_id;
  if (id === undefined) throw badField("installation_id", "the code host gives it with the state");
  const own = before?.installation_id === id;
  const begun = own ? undefined : await shown(ctx, input.state);
  const { vcs } = ctx.vendors;
  const found = await vcs.installation(id, ctx.signal);
  if (found.suspended) throw conflict("The installation is suspended at the code host.");
  if (begun !== undefined && found.created_at < begun - SKEW)
    throw forbidden(
      "The app was installed there before this org asked for it, so nothing proves that it is this org's. Remove it at the code host and install it again.",
    );
  const repositories = (await vcs.repositories(id, ctx.signal)).map((row) => row.repository).sort();
  const held = await ctx.store.claims.take(claimOf(id), ctx.now());
  if (held) throw conflict("This installation is recorded for another org.", { by: "vcs_installation_get" });
  const now = ctx.now();
  const by = actor(ctx, input.by);
  const { installation_id, app_id, account } = found;
  const facts = { installation_id, app_id, account, repositories, updated_at: now };
  const doc = {
    id: VCS_INSTALLATION_ID,
    created_at: own ? before.created_at : now,
    by: own ? before.by : by,
    ...facts,
  };
  await ctx.store.records.put(VcsInstallation, doc);
  if (before && !own) await ctx.store.claims.release(claimOf(before.installation_id));
  await auditAct(ctx, "vcs_installation", { installation: id, repositories: repositories.length }, input.by);
  return { org: ctx.org.tag, installation: view(doc), replaced: before !== undefined && !own };
}

/** The repositories that the installation covers, as the host says now; `recordInstallation` brings what is stored up to date. */
export async function listRepositories(ctx: Ctx, input: PageInput) {
  const { installation_id } = await needInstallation(ctx);
  const rows = await ctx.vendors.vcs.repositories(installation_id, ctx.signal);
  const { items, next } = sliceOf(rows, input);
  return { org: ctx.org.tag, repositories: items, ...(next === undefined ? {} : { next }) };
}

function claimOf(installation: number): string {
  return `vcs:installation:${installation}`;
}

/** When this org began what the state stands for; it is gone with the first use. People of the machine itself need none. */
async function shown(ctx: Ctx, state: string | undefined): Promise<number | undefined> {
  if (state === undefined) {
    if (ctx.caller.kind !== "org") return undefined;
    throw badField(
      "state",
      "begin with vcs_installations_post: it is the state of the page that the person came back from",
    );
  }
  const id = idOfValue(VcsState, state);
  const pending = await ctx.store.records.get(VcsState, id);
  const mine = pending !== undefined && (await ctx.store.records.delete(VcsState, id));
  if (!mine || pending.expires_at <= ctx.now())
    throw badRequest("This installation is unknown, used or older than an hour. Begin it again.", {
      by: "vcs_installations_post",
      fields: [{ path: "state", message: "stands for no installation that is under way" }],
    });
  return pending.created_at;
}

async function clearOld(ctx: Ctx): Promise<void> {
  for await (const row of everyRow((page) => ctx.store.records.list(VcsState, { ...page, order: "oldest" })))
    if (row.expires_at <= ctx.now()) await ctx.store.records.delete(VcsState, row.id);
}

function view({ id: _id, repositories, ...doc }: InstallationDoc) {
  return { ...doc, repositories: repositories.length };
}
