/**
 * Drawing: values that somebody has set, or that are unknown.
 */
import { fc } from '../../../../tests/support/properties.ts'
import { CLASS_COUNT, type Plain, UNKNOWN, type Value } from '../../../core/device-model/index.ts'

/** Unknown one time in six. */
export const maybe = <T extends Plain>(values: fc.Arbitrary<T>): fc.Arbitrary<Value<T>> =>
  fc
    .option(values, { nil: undefined, freq: 5 })
    .map((value) => (value === undefined ? UNKNOWN : { state: 'set', value }))

export const up = (most: number, least = 0): fc.Arbitrary<number> => fc.integer({ min: least, max: most })
export const flag = fc.boolean()
export const priority = up(CLASS_COUNT - 1)
export const priorities = fc.subarray([0, 1, 2, 3, 4, 5, 6, 7])
export const eight = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(values, { minLength: CLASS_COUNT, maxLength: CLASS_COUNT })
export const schedule: fc.Arbitrary<number | string> = fc.oneof(up(100), fc.constant('strict'))

/** Ports with their names. */
export const rate = fc.constantFrom(10e9, 25e9, 100e9, 400e9, 800e9)
export const fec = fc.constantFrom('rs', 'fc', 'none')
export const mtu = up(9978, 68)
