/**
 * Commands: lines of a session that somebody typed or a script echoed, without the programs that run a command elsewhere
 * or as somebody else, and the host that they name.
 */

/** A command that was typed. */
export interface Typed {
  /** Its prompt without what changes from line to line: "root@gpu1", "leaf-e", "$", "+". */
  readonly prompt: string
  /** Host that the prompt names; '': none. */
  readonly host: string
  /** As it was typed; '': nothing yet. */
  readonly text: string
}

/** A command without the programs around it. */
export interface Command {
  readonly text: string
  /** Host that it runs at, where it says so; '': here. */
  readonly host: string
}

/**
 * Prompts: "admin@leaf:~$ show pfc counters", "[root@gpu1 ~]# lldptool -t -i eth0", "leaf-e(config)#show vlan",
 * "(venv) root@gpu1:/tmp# ...", "RP/0/RP0/CPU0:leaf#show ...", "<leaf>display ...", "$ mlnx_qos -i eth0".
 */
const PROMPTS: readonly RegExp[] = [
  /^(?:\([\w.-]{1,64}\) ?)?(?:[\w.-]{1,64}@)?(?:RP\/[\w/]{1,32}:)?([\w.-]{1,253})(?:[:( ][\w.@:~/()[\] -]{0,200})?[#$>] ?([A-Za-z./].*)$/,
  /^\[(?:[\w.-]{1,64}@)?([\w.-]{1,253})[ :][^\]]{0,200}\][#$] ?([A-Za-z./].*)$/,
  /^[<[]~?([\w.-]{1,253})[>\]] ?([A-Za-z].*)$/,
]
const BARE = /^([#$]) ?([A-Za-z./].*)$/
/** Headings that are commands: "--- show version ---", "`show version`", "### ethtool -a eth2". */
const HEADING = /^(?:[-=#*]{2,} {0,2}|`)([A-Za-z][^\n]{0,200}?) {0,2}[-=#*`]*$/
/** A command of a script under `set -x`. */
const TRACE = /^(\+{1,5}) (\S.*)$/

/** Lines without these are none that was typed; most lines have none. */
const MAY_BE_TYPED = /^(?:[-+=*#$`]|\S.*?[#$>\]])/

export function typedIn(line: string): Typed | undefined {
  if (!MAY_BE_TYPED.test(line)) return undefined
  const text = line.trimEnd()
  // Read as one with a command behind it.
  if (WAITING.test(text)) {
    const waiting = typedAfter(`${text} x`)
    return waiting && { ...waiting, text: '' }
  }
  return typedAfter(line)
}

function typedAfter(line: string): Typed | undefined {
  const trace = TRACE.exec(line)
  if (trace !== null) return { prompt: '+', host: '', text: trace[2]!.trim() }
  const bare = BARE.exec(line)
  if (bare !== null) return { prompt: bare[1]!, host: '', text: bare[2]!.trim() }
  for (const prompt of PROMPTS) {
    const [, host, text = ''] = prompt.exec(line) ?? []
    if (host !== undefined) return { prompt: host, host: isContainer(host) ? '' : host, text: text.trim() }
  }
  const [, heading] = HEADING.exec(line) ?? []
  return heading === undefined ? undefined : { prompt: '', host: '', text: heading.trim() }
}

/** Docker calls its containers by twelve digits. */
const isContainer = (host: string): boolean => /^[0-9a-f]{12}$/.test(host)

/** A prompt that waits for a command, if it is one. */
const WAITING = /^(?:\S+|\[[^\]]{1,200}\])[#$>]$/

/** First words of commands that show something. */
const SHOWING =
  /^(?:show|mlnx_qos|dcb|ethtool|rdma|ibv_devinfo|show_gids|cma_roce_tos|nicctl|niccli|lldptool|mlxreg|mstreg|(?:mlx|mst)config [^\n]{0,80}\bq(?:uery)?|lldpcli|lldpctl|ip(?: -\w+)* (?:link show|addr)|nv show|nv config|pfcwd|cat|grep|env|printenv|sonic-db-dump|redis-dump|display)\b/

/** Programs that run a command. */
interface Wrapper {
  /** Options of one letter with a value behind them. */
  readonly valued: string
  /** Words before the command: a container, a host. */
  readonly words: number
  readonly isHost?: boolean
}
const CONTAINER: Wrapper = { valued: 'euwnc', words: 1 }
const PARALLEL: Wrapper = { valued: 'wxglfRtuNpJn', words: 0 }
const SHELL: Wrapper = { valued: '', words: 0 }
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: { valued: 'ugCpDRThr', words: 0 },
  doas: { valued: 'uC', words: 0 },
  ssh: { valued: 'BbcDEeFIiJLlmOopQRSWw', words: 1, isHost: true },
  'docker exec': CONTAINER,
  'podman exec': CONTAINER,
  'nerdctl exec': CONTAINER,
  'crictl exec': CONTAINER,
  'kubectl exec': CONTAINER,
  'oc exec': CONTAINER,
  'ip netns exec': { valued: '', words: 1 },
  'ip vrf exec': { valued: '', words: 1 },
  nsenter: { valued: 'tSG', words: 0 },
  chroot: { valued: '', words: 1 },
  timeout: { valued: 'ks', words: 1 },
  nice: { valued: 'n', words: 0 },
  stdbuf: { valued: 'ioe', words: 0 },
  time: SHELL,
  env: SHELL,
  pdsh: PARALLEL,
  clush: PARALLEL,
  srun: PARALLEL,
  bash: SHELL,
  sh: SHELL,
  vtysh: SHELL,
}
/** Long options with a value behind them. */
const LONG_VALUED = /^--(?:user|namespace|container|target|context|kubeconfig|group|host|nodelist|port)$/
const ASSIGNMENT = /^[A-Za-z_]\w*=\S*$/
const DEPTH_MAX = 8

/** Without its wrappers: "mlnx_qos -i eth2" of "ssh gpu1 sudo mlnx_qos -i eth2". */
export function commandIn(text: string): Command {
  let rest = text.trim()
  let host = ''
  for (let depth = 0; depth < DEPTH_MAX; depth++) {
    const name = Object.keys(WRAPPERS).find((each) => rest.startsWith(`${each} `))
    // A tool may be called by its path; environment alone is a command of its own.
    if (name === undefined || (name === 'env' && !/^env (?:-\S+ )*\w+=/.test(rest))) break
    const { words, next } = unwrapped(rest.slice(name.length + 1), WRAPPERS[name]!)
    if (next === '') break
    if (WRAPPERS[name]!.isHost === true) host = words[0]!.replace(/^.*@/, '')
    rest = next
  }
  return { text: rest.replace(/^(?:\/[\w.-]+)+\/(?=\w)/, ''), host }
}

function unwrapped(text: string, { valued, words }: Wrapper): { words: string[]; next: string } {
  const taken: string[] = []
  let rest = text.trimStart()
  for (;;) {
    const [word = ''] = /^\S+/.exec(rest) ?? []
    const isOption = word.startsWith('-')
    if (word === '' || (!isOption && !ASSIGNMENT.test(word) && taken.length >= words)) break
    rest = rest.slice(word.length).trimStart()
    if (word === '--') {
      if (taken.length >= words) break
    } else if (isOption) {
      const takesNext = word.startsWith('--') ? LONG_VALUED.test(word) : valued.includes(word.at(-1)!)
      if (takesNext) rest = rest.replace(/^(?:"[^"]*"|'[^']*'|\S+)\s*/, '')
    } else if (!ASSIGNMENT.test(word)) taken.push(word)
  }
  const [, , quoted] = /^(["'])(.*)\1$/.exec(rest) ?? []
  return { words: taken, next: (quoted ?? rest).trim() }
}

/** Whether a command without its wrappers shows something, or a loop of the shell does so again and again. */
export function isShowing(command: string): boolean {
  const [, inside] = /^(?:for|while) [^\n]{0,400}?; *do +(.*)$/.exec(command) ?? []
  return SHOWING.test(inside === undefined ? command : commandIn(inside).text)
}
