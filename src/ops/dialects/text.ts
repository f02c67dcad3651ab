/**
 * Text: what somebody has collected from a device, without what terminals and pagers add to it, in parts of one command each.
 */

/** A line as it stands in the file, without its end. */
export interface Line {
  /** In the file, from 1. */
  readonly number: number
  readonly text: string
}

/** The same characters in memory of their own: a piece of a text keeps all of it alive, which may be a megabyte. */
export const ownText = (text: string): string => ` ${text}`.slice(1)

export const ownLine = ({ number, text }: Line): Line => ({ number, text: ownText(text) })

/** The output of one command, or a file that holds one thing. */
export interface Part {
  /** Name of the file, for places. */
  readonly file: string
  /** As it was typed: "show pfc counters"; '': unknown. */
  readonly command: string
  readonly lines: readonly Line[]
  /** The lines joined; line `n` of it is `lines[n - 1]`. */
  readonly text: string
  /** Whether the file ends within its last line, which may have lost its rest. */
  readonly endsInLine?: boolean
}

/** Escape sequences of terminals; backspaces of pagers, with what they take back. */
// eslint-disable-next-line no-control-regex
const TERMINAL = /\u001B\[[0-?]*[ -/]*[@-~]|\u001B[@-Z\\-_]|[^\n]\u0008|[\u0000-\u0008\u000B\u000C\u000E-\u001F]/g
const PAGER = /^\s*(?:--\s*More\s*--|<--- More --->|---\(more[^)]*\)---|lines \d+-\d+.*)\s*/i
/**
 * A shell's or a switch's prompt with a command behind it: "leaf-e#show vlan", "admin@leaf:~$ show pfc counters",
 * "[root@gpu1 ~]# lldptool -t -i eth0", "$ mlnx_qos -i eth0".
 */
const PROMPT = /^(?:[\w.@:~/()[\]-]+[#$>]|\[[\w.@-]+ [\w.~/-]+\][#$]|[#$])\s?([A-Za-z][^=]*)$/
/** A prompt that waits for a command. */
const WAITING = /^\S+[#$>]$/
/** First words of commands that show something. */
const SHOWING =
  /^(?:sudo )?(?:show|mlnx_qos|dcb|ethtool|rdma|ibv_devinfo|show_gids|cma_roce_tos|nicctl|niccli|lldptool|mlxreg|mstreg|(?:mlx|mst)config [^\n]{0,80}\bq(?:uery)?|lldpcli|lldpctl|ip(?: -\w+)* (?:link show|addr)|nv show|nv config|pfcwd|cat|grep|env|printenv|sonic-db-dump|redis-dump|display)\b/

/** A line as a terminal shows it: what stands before a carriage return is written over. */
function shown(line: string): string {
  let end = line.length
  while (line[end - 1] === '\r') end--
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end)
}

/** Parts of a text. @param command that made the file, where it is known from elsewhere */
export function partsOf(file: string, text: string, command = ''): Part[] {
  const parts: { command: string; lines: Line[] }[] = [{ command, lines: [] }]
  let number = 0
  for (const raw of text.replace(/^\uFEFF/, '').split('\n')) {
    number++
    const clean = shown(raw).replace(TERMINAL, '').replace(PAGER, '')
    const typed = PROMPT.exec(clean)?.[1]?.trim()
    if (typed !== undefined && SHOWING.test(typed)) parts.push({ command: typed, lines: [] })
    else parts.at(-1)!.lines.push({ number, text: clean })
  }
  const last = parts.at(-1)!
  const rest = last.lines.at(-1)?.text.trim() ?? ''
  const isCut = rest !== '' && !WAITING.test(rest)
  return parts
    .filter(({ lines }) => lines.some((line) => line.text.trim() !== ''))
    .map((part) => ({
      ...part,
      file,
      text: part.lines.map((line) => line.text).join('\n'),
      endsInLine: isCut && part === last,
    }))
}
