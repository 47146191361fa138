import { type Login, readLogin } from "./login-file.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * Where commands go, as the environment that they read: the service at SVC_URL; else this machine's workspace, where
 * SVC_DATA_DIR or SVC_DATABASE_URL names one; else the service of the stored login; else this machine's own workspace. A
 * stored token goes to the service that it was stored for and to no other.
 */
export function reached(env: Env, stored: () => Login | undefined = readLogin): Env {
  if (env.SVC_URL) {
    if (env.SVC_TOKEN) return env;
    const login = stored();
    return login !== undefined && sameService(login.url, env.SVC_URL) ? withLogin(env, login) : env;
  }
  if (env.SVC_DATA_DIR || env.SVC_DATABASE_URL) return env;
  const login = stored();
  return login === undefined ? env : withLogin(env, login);
}

function withLogin(env: Env, { url, token, org }: Login): Env {
  return { ...env, SVC_URL: url, SVC_TOKEN: token, SVC_ORG: env.SVC_ORG || org };
}

function sameService(a: string, b: string): boolean {
  return a.replace(/\/+$/, "") === b.replace(/\/+$/, "");
}
