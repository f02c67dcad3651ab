/**
 * box: stands between two ends whose network is UDP datagrams, and does to their frames what a script says.
 */
import { InputError } from '../../../core/base/issue.ts'
import { Hub, type HubEnd } from '../../../live/drivers/index.ts'
import { FaultLine, formatUnder } from '../../../live/index.ts'
import { command, type FlagsOf } from '../../command.ts'
import { fileFlag, givenFlag, requiredFlag, valueFlag } from '../../flags.ts'
import type { Context } from '../../context.ts'
import { captureFor, type GrowingCapture } from './growing-capture.ts'
import { watchInterruption } from '../../interruption.ts'
import { parser } from '../../parsers.ts'
import { portIssue } from './ports.ts'
import { durationMs, recoveryFlag, schemeNames } from './live-flags.ts'
import { EXIT_UNUSED, lineScriptOf, rulesJson, rulesText } from './rules.ts'

/** Formats do not depend on it. */
const MTU_BYTES = 1024

const endsOf = parser(
  'LOCAL:REMOTE,LOCAL:REMOTE, four numbers of UDP ports that differ',
  (input): readonly [HubEnd, HubEnd] | undefined => {
    const numbers = /^(\d{1,5}):(\d{1,5}),(\d{1,5}):(\d{1,5})$/.exec(input)?.slice(1).map(Number) ?? []
    const [a = 0, b = 0, c = 0, d = 0] = numbers
    if (new Set(numbers).size < 4 || numbers.some((port) => port < 1 || port > 65_535)) return undefined
    return [
      { localPort: a, remotePort: b },
      { localPort: c, remotePort: d },
    ]
  },
)

const FLAGS = {
  ports: requiredFlag('A:B,C:D', endsOf, 'UDP ports of the first end and of the second'),
  script: fileFlag('FILE', 'Rules; - reads standard input'),
  recovery: recoveryFlag('Loss recovery of the ends, whose packets IRN changes'),
  capture: fileFlag('FILE', 'Write all frames as pcapng'),
  for: valueFlag('TIME', durationMs, 'End after TIME, such as 10s'),
  json: givenFlag('Print one JSON object instead of the table'),
}
type BoxFlags = FlagsOf<typeof FLAGS>

export const box = command({
  brief: 'Stand between two machines that speak RDMA, and lose, change, delay or refuse packets by a script',
  about: [
    'Joins two ends whose network is UDP datagrams on the loopback address, each an Ethernet frame: guests of QEMU with',
    '-netdev dgram, or interfaces by socat. An end sends to LOCAL and takes frames at REMOTE. The script is a list of',
    'rules; frames that the first end sends go out, the others in. Runs until Ctrl-C, or for a time, then prints',
    'what each rule met; exits with 1 if a rule never acted. The language of scripts: docs/models/fault-scripts.md.',
    '',
    'Examples:',
    '  rocelab box --ports 9001:9002,9003:9004 --capture all.pcapng',
    '  rocelab box --ports 9001:9002,9003:9004 --script scenarios/faults/last-ack-lost.yaml --for 10s',
  ],
  flags: FLAGS,
  run: runBox,
})

async function runBox(this: Context, flags: BoxFlags): Promise<void> {
  const format = formatUnder({ ...schemeNames(flags), mtuBytes: MTU_BYTES })
  const script = lineScriptOf(this.directory, flags.script, format)
  let capture: GrowingCapture | undefined
  const line = new FaultLine(script, (event) => capture?.add(event), format)
  const hub = await opened(flags.ports, line)
  const interruption = watchInterruption((text) => this.process.stderr.write(`${text}\n`))
  let timer: NodeJS.Timeout | undefined
  try {
    capture = captureFor(this.directory, flags, ['first', 'second'], format)
    await new Promise<void>((resolve) => {
      interruption.onRequest(resolve)
      if (capture !== undefined) capture.onFailure = resolve
      if (flags.for !== undefined) timer = setTimeout(resolve, flags.for)
      this.process.stderr.write('the box is open\n')
    })
    const { counts } = line
    const json = { schemaVersion: 1, seed: script.seed, rules: rulesJson(script, counts) }
    const text = script.rules.length === 0 ? 'no rules: every frame has passed\n' : rulesText(script, counts, this)
    this.process.stdout.write(flags.json === true ? `${JSON.stringify(json)}\n` : text)
    if (counts.some(({ acted }) => acted === 0)) this.process.exitCode = EXIT_UNUSED
  } finally {
    clearTimeout(timer)
    interruption.release()
    await hub.close()
    capture?.close()
  }
}

async function opened([first, second]: BoxFlags['ports'], line: FaultLine): Promise<Hub> {
  try {
    return await Hub.open(first, second, line)
  } catch (error) {
    throw new InputError([portIssue('--ports', `free ports ${first.localPort} and ${second.localPort}`, error)])
  }
}
