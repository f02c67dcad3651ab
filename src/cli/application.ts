/**
 * Application: the commands, and how a mistake on the command line is told.
 */
import {
  AliasNotFoundError,
  type Application,
  buildApplication,
  buildRouteMap,
  FlagNotFoundError,
  help,
  text_en,
  version as versionFlag,
} from '@stricli/core'
import { VERSION } from '../base/version.ts'
import { bench } from './commands/bench.ts'
import { check } from './commands/check.ts'
import { compare } from './commands/compare.ts'
import { complete, completion } from './commands/completion.ts'
import { example } from './commands/example.ts'
import { fidelity } from './commands/fidelity.ts'
import { importRoutes } from './commands/import.ts'
import { list } from './commands/list.ts'
import { perftest } from './commands/perftest.ts'
import { plot } from './commands/plot.ts'
import { reproduce } from './commands/reproduce.ts'
import { run } from './commands/run.ts'
import { schema } from './commands/schema.ts'
import { sweep } from './commands/sweep.ts'
import { version } from './commands/version.ts'
import type { Context } from './context.ts'

const routes = buildRouteMap({
  routes: {
    run,
    check,
    compare,
    plot,
    sweep,
    perftest,
    list,
    example,
    import: importRoutes,
    reproduce,
    fidelity,
    bench,
    schema,
    version,
    completion,
    complete,
  },
  docs: {
    brief: 'A deterministic packet-level simulator for RDMA over Ethernet',
    fullDescription: [
      'A deterministic packet-level simulator for RDMA over Ethernet (RoCEv2).',
      'The same scenario and seed give the same packets, on any machine.',
      '',
      'Examples:',
      '  rocelab                                        the main result, in some 20 seconds',
      '  rocelab example                                scenarios to begin with',
      '  rocelab run FILE                               one scenario',
      '  rocelab list congestion dcqcn                  what can be set, with defaults and sources',
      '  rocelab sweep FILE --param workload.0.load=0.3,0.5,0.7 --seeds 5',
      '  rocelab COMMAND --help                         options and examples of a command',
    ].join('\n'),
    hideRoute: { complete: true },
  },
})

/** The whole command line. */
export const application: Application<Context> = buildApplication(
  routes,
  {
    name: 'rocelab',
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
    localization: {
      text: {
        ...text_en,
        noCommandRegisteredForInput: ({ input, corrections }) => {
          const meant = corrections.length === 0 ? '' : `; did you mean ${corrections.map(bare).join(' or ')}?`
          return `rocelab: no command ${JSON.stringify(input)}${meant}\n  rocelab --help lists the commands, rocelab import --help what can be imported`
        },
        exceptionWhileParsingArguments: (error) =>
          error instanceof FlagNotFoundError
            ? unknownOption(`--${error.input}`, error.corrections)
            : error instanceof AliasNotFoundError
              ? unknownOption(`-${error.input}`)
              : `rocelab: ${error instanceof Error ? error.message : String(error)}`,
      },
    },
  },
  {
    help: help({
      brief: 'Print help and exit',
      formatting: { caseStyle: 'convert-camel-to-kebab', useAliasInUsageLine: false, onlyRequiredInUsageLine: false },
    }),
    version: versionFlag({ brief: 'Print the version and exit', info: { currentVersion: VERSION } }),
  },
)

/** What is told of an option that nobody knows; the first group is its word. */
export const UNKNOWN_OPTION = /^rocelab: no option (--?[^\s;]+)/

function unknownOption(word: string, corrections: readonly string[] = []): string {
  const meant = corrections.map((correction) => `--${correction}`).join(' or ')
  return `rocelab: no option ${word}${meant === '' ? '' : `; did you mean ${meant}?`}`
}

/** Corrections come in back quotes. */
function bare(correction: string): string {
  return correction.replaceAll('`', '')
}
