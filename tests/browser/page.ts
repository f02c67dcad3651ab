/** Interface of the packed script to its page: a function from work to lines, both as text. */
import { outcomes, type Work } from './outcomes.ts'

Object.assign(globalThis, {
  rocelabOutcomes: (work: string) => outcomes(JSON.parse(work) as Work).join('\n'),
})
