/**
 * Output of mlnx_qos -i IF. Older releases have no lines of buffers.
 * Source: as the reader (dialects/hosts/qos/mlnx-qos.ts).
 */
import { knownOf, CLASS_COUNT } from '../../../../core/device-model/index.ts'
import { isAnyKnown } from '../values.ts'
import { type Form, type HostPort, perPort } from './host-port.ts'
import { flagsOf, trafficClassesOf } from './traffic-classes.ts'

/** Room for receive buffers of a port of ConnectX-7, which nothing depends on. */
export const TOTAL_BUFFER_BYTES = 4_063_232

const PRIORITIES = Array.from({ length: CLASS_COUNT }, (_, i) => i)
const MODES: Readonly<Record<string, string>> = { os: 'OS controlled', firmware: 'Firmware controlled' }
const UNSAID = 'unknown'

const row = (name: string, numbers: readonly number[], gap: string): string =>
  `\t${name.padEnd(12)}${numbers.map((one) => String(one).padEnd(4)).join('')}`.trimEnd() + gap

/** Lines of the map, of eight DSCPs at most, the highest first; the tool prints it where DSCPs are trusted. */
function mapLines(port: HostPort): string[] {
  port.say('dscpToClass')
  return PRIORITIES.flatMap((priority) => {
    const dscps = port.dscps().filter((one) => one.priority === priority)
    const words = dscps.map(({ dscp }) => `${String(dscp).padStart(2, '0')},`).toReversed()
    return Array.from(
      { length: Math.ceil(words.length / CLASS_COUNT) },
      (_, i) => `\tprio:${priority} dscp:${words.slice(i * CLASS_COUNT, (i + 1) * CLASS_COUNT).join('')}`,
    )
  })
}

function classLines({ settings }: HostPort): string[] {
  const classes = trafficClassesOf(settings)
  if (classes === undefined) return []
  return PRIORITIES.filter((one) => classes.isUsed[one]).flatMap((one) => {
    const [kind, weight] = [classes.kinds[one]!, classes.weights[one]!]
    const schedule = `tsa: ${kind}${kind === 'ets' ? `, bw: ${weight}%` : ''}`
    const own = PRIORITIES.filter((priority) => classes.ofPriority[priority] === one)
    return [`tc: ${one} ratelimit: unlimited, ${schedule}`, ...own.map((priority) => `\t priority:  ${priority}`)]
  })
}

function text(port: HostPort, isNew: boolean): string {
  const { settings, nic } = port
  const { trust, pfcClasses, cableM, classes } = settings
  const { dcbx, hasLldpad, bufferBytes, bufferOfClass } = nic
  const ofClasses = classes.flatMap(({ queue, schedule }) => [queue, schedule])
  const hasBuffers = isNew && isAnyKnown(bufferBytes, bufferOfClass)
  const ofAll = [trust, pfcClasses, cableM, dcbx, hasLldpad, ...ofClasses]
  if (!hasBuffers && !isAnyKnown(...ofAll)) return ''
  port.say('trust', 'pfcClasses')
  if (isNew) port.say('nic.bufferBytes', 'nic.bufferOfClass')
  const [sizes, ofPriority] = [knownOf(bufferBytes), knownOf(bufferOfClass)]
  const [pfc, length] = [knownOf(pfcClasses), knownOf(cableM)]
  const isMapped = knownOf(trust) === 'dscp'
  return [
    ...(knownOf(hasLldpad) === true
      ? ['****** WARNING: lldpad service is running and may overwrite your settings ******', '']
      : []),
    `DCBX mode: ${MODES[knownOf(dcbx) ?? ''] ?? UNSAID}`,
    `Priority trust state: ${knownOf(trust) ?? UNSAID}`,
    ...(isMapped && port.dscps().length > 0 ? ['dscp2prio mapping:', ...mapLines(port)] : []),
    ...(isNew ? ['default priority:'] : []),
    ...(isNew && sizes !== undefined
      ? [`Receive buffer size (bytes): ${sizes.join(',')},max_buffer_size=${TOTAL_BUFFER_BYTES}`]
      : []),
    ...(length === undefined ? [] : [`Cable len: ${length}`]),
    'PFC configuration:',
    row('priority', PRIORITIES, ''),
    ...(pfc !== undefined ? [row('enabled', flagsOf(pfc), '   ')] : []),
    ...(isNew && ofPriority !== undefined ? [row('buffer', ofPriority, '   ')] : []),
    ...classLines(port),
    '',
  ].join('\n')
}

export const mlnxQos: Form = perPort('mlnx_qos.txt', 'mlnx_qos -i IF', (port, { options }) =>
  text(port, options.variant !== 'old'),
)
