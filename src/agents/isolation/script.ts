/** What a sandbox says of its beginning on the descriptor `MARK`. */
export type Entry = "ready" | "none" | "copy";

/** The descriptor that bubblewrap reads its arguments from, and the one that the sandbox says its beginning on. */
export const ARGUMENTS = 3;
export const MARK = 4;
/** The home of a trial, in its own `/tmp`. */
export const HOME = "/tmp/home";

/**
 * Runs first in a sandbox, with the tree that the command works in a copy of (or an empty argument) and the command. It
 * copies the tree, links what setting up left there, says whether there is a command to start, and becomes it.
 */
export const BEGIN = `exec ${ARGUMENTS}<&-
tree=$1
shift
copy() {
  mkdir ${HOME}/checkout && cd "$tree" || return
  for entry in .[!.]* ..?* *; do
    if [ -d "$entry" ]; then
      case $entry in node_modules | .venv | venv)
        ln -s "$tree/$entry" "${HOME}/checkout/$entry" || return
        continue ;;
      esac
    elif [ ! -e "$entry" ] && [ ! -h "$entry" ]; then continue
    fi
    set -- "$@" "./$entry"
  done
  [ $# = 0 ] || cp -RPp "$@" ${HOME}/checkout/ || return
  cd ${HOME}/checkout
}
if [ -n "$tree" ] && ! copy; then
  echo copy >&${MARK}
  exit 1
fi
if ! command -v "$1" >/dev/null; then
  echo "$1: there is no such program here" >&2
  echo none >&${MARK}
  exit 127
fi
echo ready >&${MARK}
exec ${MARK}>&-
exec "$@"`;

/** As BEGIN, but becomes a shell that reads from its standard input which command to run. */
export const BEGIN_TURNS = BEGIN.replace(/exec "\$@"$/, "exec /bin/sh -s");

/**
 * What a shell in a sandbox is told first: how a turn is run. What a turn left running is ended with it, and a line of
 * `mark` and the exit status tells its end.
 */
export function turnFunction(mark: string): string {
  return `run() { (exec "$@") </dev/null; code=$?; kill -9 -1 2>/dev/null; printf '\\n%s %s\\n' ${mark} "$code"; }`;
}

/** A line that runs a command as a turn. */
export function turnLine(command: readonly string[]): string {
  return `run ${command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ")}`;
}
