/**
 * Sizes without a story: all equal, or uniform between two limits.
 */
import { inputError } from '../../base/issue.ts'
import { KB, MB, size } from '../../base/params.ts'
import { formatQuantity } from '../../base/units.ts'
import { defineSizes, piecewise } from './sizes.ts'

export const fixed = defineSizes({
  name: 'fixed',
  help: 'every message has the same size',
  params: { size: size({ default: 1 * MB, min: 1, help: 'size of a message' }) },
  create: ({ size: bytes }) => piecewise([{ weight: 1, lowBytes: bytes, highBytes: bytes, shape: 'uniform' }]),
})

export const uniform = defineSizes({
  name: 'uniform',
  help: 'uniform between two sizes',
  source: '[IRN] section 4.4 (iv): storage traffic, 500KB to 5MB',
  params: {
    min: size({ default: 500 * KB, min: 1, help: 'smallest size', source: '[IRN] section 4.4' }),
    max: size({ default: 5 * MB, min: 1, help: 'greatest size', source: '[IRN] section 4.4' }),
  },
  create({ min, max }) {
    if (min > max) throw inputError('max', `at least min (${formatQuantity('size', min)})`, formatQuantity('size', max))
    return piecewise([{ weight: 1, lowBytes: min, highBytes: max, shape: 'uniform' }])
  },
})
