/** Settings as property tests draw them: values in any state, or unknown. */
import { fc } from '../../../../tests/support/properties.ts'
import { type Plain, UNKNOWN, UNKNOWN_CLASS, UNKNOWN_PORT, UNKNOWN_SWITCH } from '../../../core/device-model/index.ts'
import type {
  ClassConfig,
  DeviceConfig,
  PortSettings,
  SwitchSettings,
  Value,
} from '../../../core/device-model/index.ts'

type Arb<T> = fc.Arbitrary<T>

export function known<T extends Plain>(values: Arb<T>): Arb<Value<T>> {
  const state = fc.constantFrom('set', 'set', 'default', 'operational' as const)
  return fc.tuple(state, values).map(([each, value]) => ({ state: each, value }))
}

export const some = <T extends Plain>(values: Arb<T>): Arb<Value<T>> =>
  fc.oneof({ weight: 4, arbitrary: known(values) }, { weight: 1, arbitrary: fc.constant(UNKNOWN) })

export const unknown: Arb<Value<never>> = fc.constant(UNKNOWN)
export const set = <T extends Plain>(value: T): Value<T> => ({ state: 'set', value })

export const bool = fc.boolean()
export const bytes = fc.nat({ max: 2 ** 32 })
export const share = fc.integer({ min: -7, max: 3 }).map((exponent) => 2 ** exponent)
export const percent = fc.integer({ min: 0, max: 100 }).map((each) => each / 100)
export const rate = fc.constantFrom(10e9, 25e9, 100e9, 400e9, 800e9)
export const milliseconds = fc.integer({ min: 1, max: 60_000 }).map((each) => each * 1e9)
export const classSet = fc.subarray([0, 1, 2, 3, 4, 5, 6, 7])

export const eight = <T>(each: Arb<T>): Arb<T[]> => fc.array(each, { minLength: 8, maxLength: 8 })
export const dscpMap = fc.array(some(fc.nat({ max: 7 })), { minLength: 64, maxLength: 64 })

export const marking: Arb<Partial<ClassConfig>> = fc.oneof(
  fc.record({
    marks: known(fc.constant(true)),
    kminBytes: some(bytes),
    kmaxBytes: some(bytes),
    pmaxRatio: some(percent),
  }),
  fc.record({ marks: known(fc.constant(false)) }),
  fc.constant({}),
)

/** Classes with what each has of its own, of its group and of its queue. */
export function classesOf(...layers: readonly (readonly Partial<ClassConfig>[])[]): ClassConfig[] {
  return Array.from({ length: 8 }, (_, index) => Object.assign({}, UNKNOWN_CLASS, ...layers.map((each) => each[index])))
}

export function deviceWith(
  language: string,
  settings: Partial<SwitchSettings>,
  ports: readonly (readonly [name: string, settings: Partial<PortSettings>])[],
): DeviceConfig {
  return {
    device: 'leaf',
    kind: 'switch',
    language,
    role: 'leaf',
    settings: { ...UNKNOWN_SWITCH, ...settings },
    ports: ports.map(([name, own]) => ({
      name,
      role: 'port',
      peer: UNKNOWN,
      settings: { ...UNKNOWN_PORT, ...own },
    })),
  }
}
