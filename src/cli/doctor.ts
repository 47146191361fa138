import { accessSync, constants, existsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import type { StoreInspection } from "../../store/inspect.ts";
import { askService } from "../commands/service-client.ts";
import { type Config, isLoopback, readConfig } from "../config.ts";
import { dial, socketPath } from "../leadership/socket.ts";
import type { Env } from "./environment.ts";
import { print, printJson } from "./output.ts";

/** One thing looked at. `next` is what to do about it. */
interface Finding {
  readonly what: string;
  readonly state: "ok" | "note" | "bad";
  readonly says: string;
  readonly next?: string;
}

/** Clocks may differ by so many seconds. */
const SKEW_S = 30;
const MARKS = { ok: "ok  ", note: "note", bad: "BAD " } as const;

/** `svc doctor`: looks at what the service stands on and changes nothing. 0, or 1 when something has to be put right. */
export async function doctorCommand(env: Env, json: boolean): Promise<number> {
  const config = readConfig(env);
  const findings = [
    node(),
    ...(env.SVC_URL ? await service(env.SVC_URL, env.SVC_TOKEN) : []),
    folder(config),
    await lock(config),
    ...(await database(config)),
    await port(config),
    ...models(config),
    exposure(config),
    await isolation(config),
  ];
  const well = findings.every(({ state }) => state !== "bad");
  if (json) printJson({ well, findings });
  else print(...findings.flatMap(lines));
  return well ? 0 : 1;
}

function lines({ what, state, says, next }: Finding): string[] {
  return [`${MARKS[state]}  ${what.padEnd(11)} ${says}`, ...(next === undefined ? [] : [`${" ".repeat(18)}${next}`])];
}

function node(): Finding {
  return { what: "node", state: "ok", says: `${process.versions.node} on ${process.platform} ${process.arch}` };
}

async function service(url: string, token: string | undefined): Promise<Finding[]> {
  try {
    const res = await askService(`${url.replace(/\/+$/, "")}/v0/whoami`, {}, token);
    const { name, org, scope } = Object(await res.json().catch(() => undefined)) as Record<string, string>;
    const known: Finding = res.ok
      ? { what: "service", state: "ok", says: `${url} knows the token: ${name}, ${scope}, ${org ?? "every org"}` }
      : {
          what: "service",
          state: "bad",
          says: `${url} answers ${res.status}`,
          next: res.status === 401 ? "Set SVC_TOKEN, or: svc login URL" : "Is it the service's address?",
        };
    const told = Date.parse(res.headers.get("date") ?? "") / 1000;
    return [known, ...(Number.isFinite(told) ? [clock("the service", told)] : [])];
  } catch (error) {
    return [
      { what: "service", state: "bad", says: `${url} does not answer`, next: String(Object(error).reason ?? "") },
    ];
  }
}

function clock(whose: string, told: number): Finding {
  const skew = Math.round(Date.now() / 1000 - told);
  const says = `${Math.abs(skew)} s ${skew < 0 ? "behind" : "ahead of"} that of ${whose}`;
  return Math.abs(skew) <= SKEW_S
    ? { what: "clock", state: "ok", says }
    : { what: "clock", state: "note", says, next: "Schedules and expiries go by the clock: synchronise it." };
}

function folder({ dataDir }: Config): Finding {
  const what = "data folder";
  const stat = statSync(dataDir, { throwIfNoEntry: false });
  const next = "SVC_DATA_DIR names another folder.";
  if (stat && !stat.isDirectory()) return { what, state: "bad", says: `${dataDir} is no folder`, next };
  let nearest = dataDir;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
  } catch {
    return { what, state: "bad", says: `${nearest} cannot be written`, next };
  }
  if (!stat) return { what, state: "ok", says: `${dataDir} will be made at the first start` };
  if (process.platform !== "win32" && (stat.mode & 0o077) !== 0)
    return { what, state: "note", says: `${dataDir} is open to other people`, next: `chmod 700 ${dataDir}` };
  return { what, state: "ok", says: dataDir };
}

async function lock({ dataDir }: Config): Promise<Finding> {
  const what = "owner";
  const path = join(dataDir, "owner.lock");
  if (!existsSync(path)) return { what, state: "ok", says: "nobody has the folder open" };
  const { takeFolderLock } = await import("../../store/folder-lock.ts");
  const taken = takeFolderLock(path);
  if (taken) {
    taken.release();
    return { what, state: "ok", says: "nobody has the folder open" };
  }
  const answers = await dial(socketPath(dataDir)).then(
    (socket) => !!socket.destroy(),
    () => false,
  );
  if (answers) return { what, state: "ok", says: "another process has the folder open, and calls go through it" };
  return {
    what,
    state: "bad",
    says: "a process holds the folder and does not answer",
    next: `Find it (lsof ${path}) and end it; the next one takes over.`,
  };
}

async function database({ databaseUrl, dataDir }: Config): Promise<Finding[]> {
  const { inspectPostgres: lookAtPostgres, inspectSqlite: lookAtSqlite } = await import("../../store/inspect.ts");
  try {
    const look = await (databaseUrl ? lookAtPostgres(databaseUrl) : lookAtSqlite(join(dataDir, "store.db")));
    const { server } = look;
    if (!server) return [tables("SQLite", look)];
    const guard: Finding = {
      what: "row guards",
      state: "bad",
      says: `the role ${server.role} is a superuser or bypasses row-level security, so the guards between orgs do not hold`,
      next: "Connect as a role that only owns the database.",
    };
    const held: Finding = { what: "row guards", state: "ok", says: `they hold the role ${server.role}` };
    return [
      tables(`PostgreSQL ${server.version}`, look),
      server.aboveGuards ? guard : held,
      clock("the database", server.now),
    ];
  } catch (error) {
    const { code } = Object(error) as { code?: unknown };
    const next = databaseUrl
      ? "Look at SVC_DATABASE_URL and whether the server runs."
      : "Bring the file back from a backup.";
    return [
      {
        what: "database",
        state: "bad",
        says: `cannot be read (${typeof code === "string" ? code : "no reason given"})`,
        next,
      },
    ];
  }
}

function tables(engine: string, { tables: at, known }: StoreInspection): Finding {
  const what = "database";
  if (at === undefined || at === 0)
    return { what, state: "ok", says: `${engine}, tables will be made at the first start` };
  if (at > known) {
    const says = `${engine}, written by a newer version (tables ${at}, this one knows ${known})`;
    return { what, state: "bad", says, next: "Run that version or newer." };
  }
  const waits = at < known ? `, and ${known - at} steps will be taken at the next start` : "";
  return { what, state: "ok", says: `${engine}, tables ${at}${waits}` };
}

async function port({ host, port: wanted }: Config): Promise<Finding> {
  const what = "port";
  const failure = await new Promise<string | undefined>((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    server.listen(wanted, host, () => server.close(() => resolve(undefined)));
  });
  if (failure === undefined) return { what, state: "ok", says: `${host}:${wanted} is free` };
  if (failure === "EADDRINUSE" && (await isService(host, wanted)))
    return { what, state: "ok", says: `${host}:${wanted} is served already` };
  const next = "SVC_PORT and SVC_HOST name another.";
  return { what, state: "bad", says: `${host}:${wanted} cannot be listened on (${failure})`, next };
}

async function isService(host: string, at: number): Promise<boolean> {
  const name = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  const signal = AbortSignal.timeout(2000);
  const body = await fetch(`http://${name}:${at}/healthz`, { signal })
    .then((res) => res.json() as Promise<unknown>)
    .catch(() => undefined);
  return Object(body).status === "ok";
}

function models({ models: { offered } }: Config): Finding[] {
  const what = "models";
  if (offered.length === 0)
    return [{ what, state: "ok", says: "none: everything is decided by rule. SVC_MODELS offers some" }];
  return offered.map(({ model, key, price }) => {
    if (!key.set && !model.startsWith("openai-compatible/"))
      return { what, state: "bad", says: `${model} has no key`, next: `Set ${key.name}.` };
    if (!price)
      return {
        what,
        state: "bad",
        says: `${model} has no known price, so it is refused`,
        next: "Set SVC_MODEL_PRICES.",
      };
    return { what, state: "ok", says: `${model}, ${key.set ? "with its key" : "without a key"}; it was not called` };
  });
}

/** Whether agents that run here are kept apart from the machine. */
async function isolation({ isolation: settings, commandsAllowed, dataDir }: Config): Promise<Finding> {
  const what = "isolation";
  if (!commandsAllowed) return { what, state: "ok", says: "no agent runs on this machine" };
  const { whyNoSandbox } = await import("../agents/isolation/sandbox.ts");
  const why = await whyNoSandbox(settings, dataDir);
  if (why === undefined) return { what, state: "ok", says: "agents run under bubblewrap" };
  const state = settings.mode === "bubblewrap" ? "bad" : "note";
  return {
    what,
    state,
    says: `agents run as the service's user does and can read what it can: ${why}`,
    next: "See the security page, or run only agents that you trust with this workspace.",
  };
}

function exposure({ host, publicUrl, commandsAllowed }: Config): Finding {
  const what = "exposure";
  if (publicUrl === undefined && isLoopback(host))
    return { what, state: "ok", says: `this machine alone; agents may ${commandsAllowed ? "" : "not "}be commands` };
  const where = publicUrl ?? host;
  if (commandsAllowed)
    return {
      what,
      state: "note",
      says: `${where} is reached by others, and whoever may start a run may run commands here`,
      next: "Leave SVC_ALLOW_COMMANDS unset unless everyone with a push token is trusted with this machine.",
    };
  if (publicUrl?.startsWith("https:") !== true)
    return {
      what,
      state: "note",
      says: `${where} is reached without TLS`,
      next: "Put a TLS proxy in front and set SVC_PUBLIC_URL.",
    };
  return { what, state: "ok", says: `${where}; agents may not be commands` };
}
