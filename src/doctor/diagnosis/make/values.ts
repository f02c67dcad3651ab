/** Values of drawn devices: templates of what is unknown, with what is known over them. */
import {
  CLASS_COUNT,
  type ClassConfig,
  DSCP_COUNT,
  type HostSettings,
  type JobSettings,
  type NicSettings,
  type Plain,
  type PortSettings,
  type SwitchSettings,
  UNKNOWN_CLASS,
  UNKNOWN_HOST,
  UNKNOWN_JOB,
  UNKNOWN_NIC,
  UNKNOWN_PORT,
  UNKNOWN_SWITCH,
  type Value,
} from '../../../core/device-model/index.ts'

/** Names of the fields that hold one value, and what they hold. */
type PlainFields<T> = { [K in keyof T as T[K] extends Value<never> | Value ? K : never]?: PlainOf<T[K]> }
type PlainOf<V> = V extends Value<infer P> ? P : never

/** As fields of settings, each of them set. */
function known(values: Readonly<Record<string, Plain | undefined>>): Record<string, Value> {
  const fields: Record<string, Value> = {}
  for (const [name, value] of Object.entries(values)) if (value !== undefined) fields[name] = { state: 'set', value }
  return fields
}

export const switchOf = (
  values: PlainFields<SwitchSettings>,
  watchdog: PlainFields<SwitchSettings['watchdog']>,
  pools: SwitchSettings['pools'],
): SwitchSettings => ({
  ...UNKNOWN_SWITCH,
  ...known(values),
  watchdog: { ...UNKNOWN_SWITCH.watchdog, ...known(watchdog) },
  pools,
})

export const hostOf = (job: PlainFields<JobSettings>): HostSettings => ({
  ...UNKNOWN_HOST,
  job: { ...UNKNOWN_JOB, ...known(job) },
})

export const classOf = (values: PlainFields<ClassConfig>): ClassConfig => ({ ...UNKNOWN_CLASS, ...known(values) })

interface PortDraw {
  readonly port: PlainFields<PortSettings>
  readonly dscpToClass: (dscp: number) => number
  readonly classes: (c: number) => ClassConfig
  readonly nic?: PlainFields<NicSettings>
}

export const portOf = ({ port, dscpToClass, classes, nic }: PortDraw): PortSettings => ({
  ...UNKNOWN_PORT,
  ...known(port),
  dscpToClass: Array.from({ length: DSCP_COUNT }, (_, dscp): Value<number> => ({
    state: 'set',
    value: dscpToClass(dscp),
  })),
  classes: Array.from({ length: CLASS_COUNT }, (_, c) => classes(c)),
  ...(nic === undefined ? {} : { nic: { ...UNKNOWN_NIC, ...known(nic) } }),
})
