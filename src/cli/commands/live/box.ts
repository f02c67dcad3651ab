/**
 * box: stands between two ends whose network is UDP datagrams, and does to their frames what a script says.
 */
import { buildCommand } from '@stricli/core'
import { inputError } from '../../../base/issue.ts'
import { parseQuantity } from '../../../base/units.ts'
import { Hub, type HubEnd } from '../../../live/drivers/hub.ts'
import { FaultLine, type RuleCount } from '../../../live/faults/fault-line.ts'
import { readFaultScript } from '../../../live/faults/read-script.ts'
import type { FaultScript } from '../../../live/faults/script.ts'
import { exactCount, textTable, type TextColumn } from '../../../report/index.ts'
import type { Context } from '../../context.ts'
import { guarded } from '../../failure.ts'
import { GrowingCapture } from '../../files/growing-capture.ts'
import { readText } from '../../files/input-file.ts'
import { codeOf } from '../../files/system-error.ts'
import { givenFlag } from '../../flags.ts'
import { watchInterruption } from '../../interruption.ts'
import { fileText } from '../../parsers.ts'

interface BoxFlags {
  readonly ports: readonly [HubEnd, HubEnd]
  readonly script?: string
  readonly capture?: string
  readonly for?: number
  readonly json?: boolean
}

/** The exit code where a rule of the script never acted. */
const EXIT_UNUSED = 1
const PORTS_FORM = 'LOCAL:REMOTE,LOCAL:REMOTE, four numbers of UDP ports'

export const box = buildCommand<BoxFlags, [], Context>({
  docs: {
    brief: 'Stand between two machines that speak RDMA, and lose, change, delay or refuse packets by a script',
    fullDescription: [
      'Joins two ends whose network is UDP datagrams on the loopback address, each an Ethernet frame: guests of QEMU with',
      '-netdev dgram, or interfaces by socat. An end sends to LOCAL and takes frames at REMOTE. The script is a list of',
      'rules; frames that the first end sends go out, the others in. Runs until Ctrl-C, or for a time, then prints',
      'what each rule met; exits with 1 if a rule never acted. The language of scripts: docs/models/fault-scripts.md.',
      '',
      'Examples:',
      '  rocelab box --ports 9001:9002,9003:9004 --capture all.pcapng',
      '  rocelab box --ports 9001:9002,9003:9004 --script scenarios/faults/last-ack-lost.yaml --for 10s',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ports: {
        kind: 'parsed',
        parse: endsOf,
        placeholder: 'A:B,C:D',
        brief: 'UDP ports of the first end and of the second',
      },
      script: {
        kind: 'parsed',
        parse: fileText,
        optional: true,
        placeholder: 'FILE',
        brief: 'Rules; - reads standard input',
      },
      capture: {
        kind: 'parsed',
        parse: fileText,
        optional: true,
        placeholder: 'FILE',
        brief: 'Write all frames as pcapng',
      },
      for: { kind: 'parsed', parse: timeOf, optional: true, placeholder: 'TIME', brief: 'End after TIME, such as 10s' },
      json: givenFlag('Print one JSON object instead of the table'),
    },
  },
  func: guarded(runBox),
})

function endsOf(input: string): readonly [HubEnd, HubEnd] {
  const numbers = /^(\d{1,5}):(\d{1,5}),(\d{1,5}):(\d{1,5})$/.exec(input)?.slice(1).map(Number) ?? []
  const [a = 0, b = 0, c = 0, d = 0] = numbers
  if (numbers.length === 4 && numbers.every((port) => port >= 1 && port <= 65_535) && new Set(numbers).size === 4)
    return [
      { localPort: a, remotePort: b },
      { localPort: c, remotePort: d },
    ]
  throw new Error(`expected ${PORTS_FORM} that differ, received ${JSON.stringify(input)}`)
}

/** Milliseconds. */
function timeOf(input: string): number {
  const durationPs = parseQuantity('duration', input)
  if (durationPs !== undefined && durationPs > 0) return Math.ceil(durationPs / 1e9)
  throw new Error(`expected a duration such as 10s, received ${JSON.stringify(input)}`)
}

async function runBox(this: Context, flags: BoxFlags): Promise<void> {
  const script = scriptOf(this.directory, flags.script)
  const capture =
    flags.capture === undefined
      ? undefined
      : new GrowingCapture(this.directory, flags.capture, flags.script ?? 'no script', ['first', 'second'])
  const line = new FaultLine(script, (event) => capture?.add(event))
  const hub = await opened(flags.ports, line)
  const interruption = watchInterruption((text) => this.process.stderr.write(`${text}\n`))
  await new Promise<void>((resolve) => {
    interruption.onRequest(resolve)
    if (flags.for !== undefined) setTimeout(resolve, flags.for)
    this.process.stderr.write('the box is open\n')
  })
  interruption.release()
  await hub.close()
  capture?.close()
  this.process.stdout.write(
    flags.json === true ? `${JSON.stringify(jsonOf(script, line.counts))}\n` : textOf(script, line.counts, this),
  )
  if (line.counts.some(({ acted }) => acted === 0)) this.process.exitCode = EXIT_UNUSED
}

function scriptOf(directory: string, file: string | undefined): FaultScript {
  if (file === undefined) return { seed: 0, rules: [], peer: undefined }
  const script = readFaultScript(readText(directory, file, 'a fault script'), file)
  const closing = script.rules.findIndex(({ action }) => action.kind === 'close')
  if (closing < 0) return script
  throw inputError(`${file}: rule ${closing + 1}`, 'what a box can do', 'close', 'only a peer ends its connection')
}

async function opened([first, second]: BoxFlags['ports'], line: FaultLine): Promise<Hub> {
  try {
    return await Hub.open(first, second, line)
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error
    const received = code === 'EACCES' ? 'ports that need rights' : 'a port that another program has'
    throw inputError('--ports', `free ports ${first.localPort} and ${second.localPort}`, received, 'name others')
  }
}

const right = (head: string): TextColumn => ({ head, align: 'right' })

function textOf({ rules }: FaultScript, counts: readonly RuleCount[], { text }: Context): string {
  if (rules.length === 0) return 'no rules: every frame has passed\n'
  const rows = rules.map(({ fit, action, line }, at) => {
    const { fitted, acted } = counts[at]!
    const note = acted === 0 ? 'never acted' : ''
    return [`${at + 1}`, `${line}`, fit.mad ?? fit.kind, action.kind, exactCount(fitted), exactCount(acted), note]
  })
  const columns = [
    right('rule'),
    right('line'),
    { head: 'match' },
    { head: 'do' },
    right('fitted'),
    right('acted'),
    { head: '' },
  ]
  return textTable(columns, rows, text)
}

function jsonOf({ seed, rules }: FaultScript, counts: readonly RuleCount[]): object {
  return { schemaVersion: 1, seed, rules: rules.map((rule, at) => ({ ...rule, ...counts[at]! })) }
}
