/**
 * Flow-size distributions.
 */
import { InputError } from '../../base/issue.ts'
import type { ValueOf, VariantParam } from '../../base/params.ts'
import { fixed, uniform } from './basic.ts'
import { cdf } from './cdf.ts'
import { heavyTailed, heavyTailedFinite } from './heavy-tailed.ts'
import { alibabaStorage, facebookHadoop, webSearch } from './published.ts'
import type { SizeDistribution } from './sizes.ts'

/** Every flow-size distribution a scenario can name. */
export const sizeDistributions = [
  heavyTailed,
  heavyTailedFinite,
  uniform,
  fixed,
  webSearch,
  facebookHadoop,
  alibabaStorage,
  cdf,
] as const

/** A distribution chosen in a scenario: its kind, and its params beside it. */
export type SizesValue = ValueOf<VariantParam<(typeof sizeDistributions)[number]>>

/** The chosen distribution. @throws InputError with paths below `path`, the place of the value in the scenario. */
export function createSizes(value: SizesValue, path: string): SizeDistribution {
  const chosen = sizeDistributions.find((definition) => definition.name === value.kind)!
  try {
    // The value's kind says that its other keys are this definition's params.
    return (chosen.create as (values: SizesValue) => SizeDistribution)(value)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new InputError(error.issues.map((issue) => ({ ...issue, path: `${path}.${issue.path}` })))
  }
}

export { defineSizes, type SizeDistribution, type SizesDefinition } from './sizes.ts'
