/** The environment of a child: none of this process's own SVC settings. */
export function cleanEnv(extra: Record<string, string>): Record<string, string> {
  const own = Object.entries(process.env).filter(([name, value]) => value !== undefined && !name.startsWith("SVC_"));
  return { ...(Object.fromEntries(own) as Record<string, string>), SVC_LOG_LEVEL: "error", ...extra };
}

/** Shell words that run `line` in a session of its own, with Node alone; `$$` in it is the shell that they stand in. */
export const inOwnSession = (line: string): string =>
  `'${process.execPath}' -e 'require("node:child_process").spawn("/bin/sh", ["-c", process.argv[1]], ` +
  `{ detached: true, stdio: "inherit" })' "${line}"`;
