/**
 * Commands to collect: what to run on hosts and switches, from the forms that the doctor reads. None changes anything.
 */
import { textTable, type TextOptions } from '../../show/index.ts'
import { DIALECTS } from '../devices/dialects/index.ts'

/** Languages of devices, with their names: first those of hosts. */
export const COLLECTED_FROM = {
  host: 'Linux host',
  mlnx_qos: 'NVIDIA NIC',
  nicctl: 'AMD NIC',
  niccli: 'Broadcom NIC',
  lldptool: 'Intel NIC',
  sonic: 'SONiC',
  'sonic-cli': 'Enterprise SONiC (sonic-cli)',
  'nx-os': 'NX-OS',
  eos: 'EOS',
  junos: 'Junos',
  nvue: 'Cumulus Linux',
  os10: 'OS10',
} as const
export type CollectedLanguage = keyof typeof COLLECTED_FROM
const HOSTS: readonly CollectedLanguage[] = ['host', 'mlnx_qos', 'nicctl', 'niccli', 'lldptool']
export const COLLECTED_LANGUAGES = Object.keys(COLLECTED_FROM) as readonly CollectedLanguage[]

export interface CommandToCollect {
  readonly language: CollectedLanguage
  /** IF stands for an interface, DEV for an RDMA device, N for the number of an adapter. */
  readonly command: string
  /** Name of the form that it prints. */
  readonly form: string
}

const isOfHosts = (language: CollectedLanguage): boolean => HOSTS.includes(language)

/** By language, in the order of COLLECTED_FROM; a command that prints several forms once. */
export function commandsToCollect(languages: readonly CollectedLanguage[] = COLLECTED_LANGUAGES): CommandToCollect[] {
  const all = DIALECTS.flatMap(({ name, language = 'host', command }) =>
    command
      .split('; ')
      .filter((one) => one !== '')
      .map((one): CommandToCollect => ({ language, command: one, form: name })),
  )
  return COLLECTED_LANGUAGES.filter((each) => languages.includes(each)).flatMap((language) => {
    const seen = new Set<string>()
    return all.filter((one) => one.language === language && !seen.has(one.command) && seen.add(one.command))
  })
}

export function collectText(commands: readonly CommandToCollect[], options: TextOptions): string {
  const rows = commands.map(({ language, command }, i) => [
    commands[i - 1]?.language === language ? '' : COLLECTED_FROM[language],
    command,
  ])
  return textTable([{ head: '' }, { head: '' }], rows, options)
}

/** Words of commands that a script fills in, with the lists that have them. */
const LOOPS: readonly (readonly [RegExp, string, string])[] = [
  [/\bIF\b/, 'IF', 'INTERFACES'],
  [/\bDEV\b/, 'DEV', 'RDMA_DEVICES'],
  [/(?<=--dev )N\b/, 'N', 'ADAPTERS'],
]

const SCRIPT_HEAD = `#!/bin/sh
# Collects what rocelab doctor reads from this host, into ./DEVICE/TIME/, and notes times in ./collected.tsv.
# All commands only read. Those that are not installed are left out.
# Set DEVICE, INTERFACES, RDMA_DEVICES or ADAPTERS for others than these. Run it in the environment of a job.
DEVICE=\${DEVICE:-$(uname -n | cut -d . -f 1)}
RDMA_DEVICES=\${RDMA_DEVICES:-$(ls /sys/class/infiniband 2>/dev/null)}
INTERFACES=\${INTERFACES:-$(for DEV in $RDMA_DEVICES; do ls "/sys/class/infiniband/$DEV/device/net" 2>/dev/null; done | sort -u)}
ADAPTERS=\${ADAPTERS:-1}
TIME=$(date -u +%Y%m%dT%H%M%SZ)
mkdir -p "$DEVICE/$TIME" || exit 1
[ -s collected.tsv ] || printf 'path\\ttime\\tcommand\\n' >collected.tsv
# collect COMMAND
collect() {
  command -v "\${1%% *}" >/dev/null 2>&1 || return 0
  FILE="$DEVICE/$TIME/$(printf %s "$1" | tr -c 'A-Za-z0-9._-' _).txt"
  sh -c "$1" >"$FILE" 2>/dev/null
  if [ -s "$FILE" ]; then
    printf '%s\\t%s\\t%s\\n' "$FILE" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" >>collected.tsv
  else
    rm -f "$FILE"
  fi
}
`

/** A shell script for hosts; of switches it has the commands as comments. */
export function collectScript(commands: readonly CommandToCollect[]): string {
  let heading = ''
  const lines = commands.flatMap(({ language, command }) => {
    const title = COLLECTED_FROM[language]
    const head = title === heading ? [] : ['', `# ${title}`]
    heading = title
    return [...head, isOfHosts(language) ? collectLine(command) : `#   ${command}`]
  })
  return `${SCRIPT_HEAD}${lines.join('\n')}\n`
}

function collectLine(command: string): string {
  const loops = LOOPS.filter(([word]) => word.test(command))
  const filled = loops.reduce((text, [word, name]) => text.replaceAll(new RegExp(word, 'g'), `$${name}`), command)
  const quoted = filled.replaceAll(/["\\`]|\$(?!IF\b|DEV\b|N\b)/g, String.raw`\$&`)
  const call = `collect "${quoted}"`
  return loops.reduceRight((inner, [, name, list]) => `for ${name} in $${list}; do ${inner}; done`, call)
}
