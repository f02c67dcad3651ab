/**
 * Worker: scores the runs that its parent names, one at a time.
 */
import { widenInlining } from '../../src/cli/inlining.ts'
import type { Drawn } from './counterfactual.ts'
import { type ExamName, EXAMS } from './exams.ts'
import type { Form } from './seeds.ts'
import type { Kind } from './truth.ts'

/** A run to score. */
export interface Task {
  readonly exam: ExamName
  readonly form: Form
  readonly seed: number
  readonly known?: Drawn
  readonly kinds?: readonly Kind[]
}

widenInlining()
process.on('message', async ({ exam, form, seed, known, kinds }: Task) => {
  try {
    process.send!(await EXAMS[exam].scoreOf(form, seed, known, kinds))
  } catch (error) {
    process.stderr.write(`\nscore: ${form} ${seed}: ${String(error)}\n`)
    process.exit(1)
  }
})
