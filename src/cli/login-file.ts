import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { unprocessable } from "../../chapters/errors.ts";
import { personFolders } from "../folders.ts";

/** Where `svc login` left its mark: a service, and the token that opens it. */
const Login = z.object({ url: z.string(), token: z.string(), org: z.string().optional() });
export type Login = z.infer<typeof Login>;

/** The file that holds the login, in the person's own settings folder. */
export function loginPath(): string {
  return join(personFolders().config, "login.json");
}

/** The stored login, undefined when there is none. Throws when others may read it, and when it cannot be understood. */
export function readLogin(path = loginPath()): Login | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  if (process.platform !== "win32" && (stat.mode & 0o077) !== 0)
    throw unprocessable("The login file may be read by others; give it mode 0600, or log in again:", {
      names: [path],
    });
  try {
    return Login.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw unprocessable("The login file cannot be read; log in again:", { names: [path] });
  }
}

/** Stores the login with mode 0600 in a folder of mode 0700; answers where. */
export function writeLogin(login: Login, path = loginPath()): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // The mode of a new file only: one that is there keeps its own, so it goes first.
  rmSync(path, { force: true });
  writeFileSync(path, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: "wx" });
  chmodSync(path, 0o600);
  return path;
}

/** Forgets the login; false when there was none. */
export function removeLogin(path = loginPath()): boolean {
  if (!statSync(path, { throwIfNoEntry: false })) return false;
  rmSync(path);
  return true;
}
