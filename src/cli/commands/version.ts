/**
 * version: prints the version of the program, Node and the platform.
 */
import { buildCommand } from '@stricli/core'
import { VERSION } from '../../base/version.ts'
import type { Context, NoFlags } from '../context.ts'
import { guarded } from '../failure.ts'

export const version = buildCommand<NoFlags, [], Context>({
  docs: { brief: 'Print the version' },
  parameters: {},
  func: guarded(function printVersion(this: Context) {
    this.process.stdout.write(
      `rocelab ${VERSION} (Node ${process.versions.node}, ${process.platform} ${process.arch})\n`,
    )
  }),
})
