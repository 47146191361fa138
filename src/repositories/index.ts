import { join } from "node:path";
import type { Compute } from "../../chapters/compute.ts";
import type { Repositories } from "../../chapters/repositories.ts";
import { lazy } from "../service/lazy.ts";
import { readSource } from "./source-tools.ts";

/** What this process may clone, and where it keeps it. */
export interface RepositoriesOptions {
  readonly dataDir: string;
  readonly privateAddressesAllowed: boolean;
  readonly commandsAllowed: boolean;
}

/** Repositories fetched into the data folder. Folders of this machine are cloned only where its owner alone runs commands. */
export function createRepositories(options: RepositoriesOptions, compute: Compute): Repositories {
  const { privateAddressesAllowed: privateAllowed, commandsAllowed } = options;
  const reach = { privateAllowed, localAllowed: privateAllowed && commandsAllowed };
  const checkouts = lazy(async () => {
    const { Checkouts } = await import("./checkout.ts");
    return new Checkouts(join(options.dataDir, "repositories"), reach);
  });
  const histories = lazy(async () => {
    const { Histories } = await import("./history.ts");
    return new Histories(join(options.dataDir, "repositories", "histories"), reach);
  });
  const files = lazy(() => import("./files.ts"));
  return {
    refs: async (target, signal) => (await checkouts.get()).refs(target, signal),
    checkout: async (target, signal) => (await checkouts.get()).checkout(target, signal),
    changed: async (target, from, to, signal) => (await checkouts.get()).changed(target, from, to, signal),
    compare: async (target, base, head, signal) => (await histories.get()).compare(target, base, head, signal),
    files: async ({ folder }) => (await files.get()).listFiles(folder),
    text: async ({ folder }, path) => (await files.get()).readText(folder, path),
    copyTo: async (checkout, folder) => (await checkouts.get()).copyTo(checkout, folder),
    source: ({ folder }, signal) => compute.run(readSource, { folder }, signal),
  };
}
