/** A failure of the machine and not of the program, by the codes that Node and SQLite give it. */
interface SystemError {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly path?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
}

const ELSEWHERE = "SVC_DATA_DIR names another data folder, --out another place for the page";

/**
 * What a person is told of a failure of the machine: what it was of, and the way out, in one sentence or two. Undefined
 * for every other error.
 */
export function systemFailure(error: unknown): string | undefined {
  const { code, syscall, path, address, port } = Object(error) as SystemError;
  if (typeof code !== "string") return undefined;
  const where = typeof path === "string" ? ` ${JSON.stringify(path)}` : "";
  if (syscall === "listen" && typeof port === "number") return listening(code, `${address ?? "this machine"}:${port}`);
  switch (/^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code) {
    case "ENOSPC":
    case "EDQUOT":
    case "SQLITE_FULL":
      return `The disk is full${where}. Free some space and do it again: what was stored before is whole. ${ELSEWHERE}.`;
    case "EFBIG":
      return `The file${where} has grown to the largest that this process may write. Raise the limit (ulimit -f) and do it again: what was stored before is whole.`;
    case "EACCES":
    case "EPERM":
      return `You may not write or read${where || " a file that is needed"}. Change its permissions; ${ELSEWHERE}. Look with svc doctor.`;
    case "EROFS":
    case "SQLITE_READONLY":
      return `The place${where} can be read only. ${ELSEWHERE}.`;
    case "SQLITE_CANTOPEN":
      return `The store of the data folder cannot be opened. Look with svc doctor; ${ELSEWHERE}.`;
    case "SQLITE_NOTADB":
    case "SQLITE_CORRUPT":
      return `The store of the data folder is damaged or no store at all. Put a backup of the folder in its place, or begin in an empty one and bring orgs back from their archives with svc restore FILE. ${ELSEWHERE}.`;
    case "SQLITE_IOERR":
    case "EIO":
      return `The disk does not work as it should${where}. Look at its space, its mount and the system's log. ${ELSEWHERE}.`;
    case "ENOTDIR":
    case "EEXIST":
      return `A file stands where a folder is needed${where && `:${where}`}. ${ELSEWHERE}.`;
    case "EISDIR":
      return `A folder stands where a file is needed${where && `:${where}`}. Name a file.`;
    case "EMFILE":
    case "ENFILE":
      return "Too many files are open on this machine. Raise the limit (ulimit -n) and do it again.";
    default:
      return undefined;
  }
}

function listening(code: string, at: string): string | undefined {
  const other = "Take another port with --port or SVC_PORT, or another address with --host or SVC_HOST.";
  if (code === "EADDRINUSE")
    return `Something listens on ${at} already. ${other} svc doctor says whether it is this service.`;
  if (code === "EACCES") return `You may not listen on ${at}: ports below 1024 are the system's. ${other}`;
  if (code === "EADDRNOTAVAIL") return `This machine has no address ${at}. ${other}`;
  return undefined;
}
