/**
 * Writer of configurations of Junos (QFX), in braces or as lines of "set". Values that differ from port to port where Junos
 * has one for all (queues of classes, headroom, times of the watchdog) are those of the first port that has them.
 * Single values have no words though their field has: the length of a cable and paused queues without a profile of PFC, a
 * map of DSCPs where only PCP is trusted, shares that are no percents, and a lossy class in the queue of another number.
 * Source: as the reader (dialects/junos).
 */
import { knownOf, type DeviceConfig, UNKNOWN_CLASS } from '../../../core/device-model/index.ts'
import { arpStatements, bufferStatements, routingStatements, watchdogStatement } from './junos/device.ts'
import { attachments, type Context } from './junos/attachments.ts'
import { Definitions } from './junos/definitions.ts'
import { classStatements, forwardingClassesOf } from './junos/forwarding-classes.ts'
import { interfaceStatements } from './junos/interfaces.ts'
import { block, bracesOf, quoted, setLinesOf, setting, type Statement } from './junos/statements.ts'
import { withReasons } from './values.ts'
import type { Writer, WriteOptions } from './writer.ts'

/** Fields of classes that Junos has words for. */
const CLASS_FIELDS: readonly string[] = [
  'queue',
  'pausedQueue',
  'hasHeadroom',
  'isWatched',
  'marks',
  'kminRatio',
  'kmaxRatio',
  'pmaxRatio',
  'schedule',
]

const cannotSay = withReasons({
  'buffers have shares of a total that is not in the configuration, and no sizes': [
    ...Object.keys(UNKNOWN_CLASS)
      .filter((field) => /(?:Bytes|alpha)$/.test(field))
      .map((field) => `classes.${field}`),
    'pools.sizeBytes',
    'pools.sharedHeadroomBytes',
  ],
  'Junos has no such thing': [
    ...Object.keys(UNKNOWN_CLASS)
      .filter((field) => !CLASS_FIELDS.includes(field) && !/(?:Bytes|alpha)$/.test(field))
      .map((field) => `classes.${field}`),
    'isPfcAsymmetric',
    'watchdog.ports',
    'headroomOversubscription',
    'isHeadroomDynamic',
    'headroomTable',
    'floodsLossless',
  ],
  'the peer says it': ['peerPfcClasses'],
  'the configuration does not name the hardware': ['platform'],
})

function statementsOf({ device, settings, ports }: DeviceConfig, options: WriteOptions): Statement[] {
  if (!('watchdog' in settings)) return []
  const kind = knownOf(settings.watchdog.kind)
  const definitions = new Definitions(options)
  const classes = forwardingClassesOf(
    ports.map((port) => port.settings),
    options,
  )
  const context: Context = {
    classes,
    definitions,
    watchdog: watchdogStatement(settings),
    isWatched: kind !== undefined && kind !== 'off',
  }
  const attached = attachments(context, ports)
  return [
    ...block('system', setting('host-name', quoted(device)), arpStatements(settings)),
    ...routingStatements(settings),
    ...block('interfaces', interfaceStatements(ports, options)),
    ...block(
      'class-of-service',
      block('classifiers', definitions.statements('dscp-classifier', 'dscp ')),
      block('drop-profiles', definitions.statements('drop-profile')),
      bufferStatements(settings, ports),
      block('forwarding-classes', classStatements(classes)),
      block('congestion-notification-profile', definitions.statements('congestion-notification-profile')),
      block('interfaces', attached),
      block('scheduler-maps', definitions.statements('scheduler-map')),
      block('schedulers', definitions.statements('scheduler')),
    ),
  ]
}

export const junosWriter: Writer = {
  language: 'junos',
  variants: ['braces', 'set'],
  cannotSay,
  write(config, options) {
    const statements = statementsOf(config, options)
    const isSet = options.variant === 'set'
    const text = isSet ? setLinesOf(statements) : bracesOf(statements)
    return [{ file: isSet ? 'running.set' : 'running.conf', text }]
  },
}
