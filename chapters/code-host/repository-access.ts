import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import type { InstalledRepository, VcsCompare, VcsRef } from "../ports/vendors.ts";
import type { Checkout, RepositoryTarget } from "../repositories.ts";
import { vcsInstallation } from "./vcs-installation.ts";

/** A repository as this org may read it: through the code host's app where its installation covers it, else by git alone. */
export interface RepositoryAccess {
  readonly url: string;
  /** `owner/name` where the app reads it. */
  readonly repo: string | undefined;
  /** The commit of a branch, tag, commit, or (through the app) pull request; the default branch when absent. */
  commit(ref: string | undefined): Promise<{ readonly sha: string; readonly ref: string; readonly branch?: string }>;
  refs(): Promise<VcsRef[]>;
  /** From where two commits parted to the second one. */
  compare(base: string, head: string): Promise<VcsCompare>;
  checkout(sha: string): Promise<Checkout>;
}

const SHA = /^[0-9a-f]{40}$/;

/**
 * Opens a repository by its address, or by `owner/name` at the code host. With `covered` one of the host that the
 * installation does not reach is refused (`not_covered`); without, it is read as anybody may.
 */
export async function openRepository(ctx: Ctx, url: string, need?: "covered"): Promise<RepositoryAccess> {
  const { vcs } = ctx.vendors;
  const repo = vcs.repositoryOf(url);
  const installation = repo === undefined ? undefined : await vcsInstallation(ctx);
  if (repo !== undefined && installation?.repositories.includes(repo) && vcs.app.set)
    return throughApp(ctx, url, { installation: installation.installation_id, repository: repo });
  if (repo !== undefined && (need === "covered" || repo === url)) throw uncovered();
  return byGit(ctx, url);
}

/** The refusal for a repository of the code host that the org's installation does not cover. */
export function uncovered(): AppError {
  return new AppError(
    "not_covered",
    "The org's installation of the code host's app does not cover this repository; add it there, then refresh the installation.",
  );
}

function throughApp(ctx: Ctx, url: string, place: InstalledRepository): RepositoryAccess {
  const { vcs } = ctx.vendors;
  const { signal } = ctx;
  return {
    url,
    repo: place.repository,
    async commit(ref) {
      const wanted = ref ?? (await defaultBranch(ctx, place));
      const { sha, branch } = await vcs.commit(place, wanted, signal);
      const named = branch ?? (SHA.test(wanted) ? undefined : wanted.replace(/^refs\/heads\//, ""));
      return { sha, ref: wanted, ...(named === undefined ? {} : { branch: named }) };
    },
    refs: () => vcs.refs(place, signal),
    compare: (base, head) => vcs.compare(place, base, head, signal),
    async checkout(sha) {
      const access = await vcs.cloneAccess(place, signal);
      return ctx.repositories.checkout({ ...access, ref: sha }, signal);
    },
  };
}

async function defaultBranch(ctx: Ctx, place: InstalledRepository): Promise<string> {
  const rows = await ctx.vendors.vcs.repositories(place.installation, ctx.signal);
  return rows.find((row) => row.repository === place.repository)?.default_branch ?? "main";
}

function byGit(ctx: Ctx, url: string): RepositoryAccess {
  const target: RepositoryTarget = { url };
  const { repositories, signal } = ctx;
  const refs = async (): Promise<VcsRef[]> =>
    (await repositories.refs(target, signal)).map(({ name, kind, commit }) => ({ name, kind, sha: commit }));
  return {
    url,
    repo: undefined,
    async commit(ref) {
      if (ref !== undefined && SHA.test(ref)) {
        await repositories.checkout({ url, ref }, signal);
        return { sha: ref, ref };
      }
      const found = await repositories.checkout({ url, ref }, signal);
      return { sha: found.commit, ref: found.ref, branch: found.ref };
    },
    refs,
    compare: (base, head) => repositories.compare(target, base, head, signal),
    checkout: (sha) => repositories.checkout({ url, ref: sha }, signal),
  };
}
