/**
 * Application: the commands, and the messages for mistakes on the command line.
 */
import {
  AliasNotFoundError,
  type Application,
  ArgumentParseError,
  buildApplication,
  buildCommand,
  buildRouteMap,
  FlagNotFoundError,
  help,
  text_en,
  UnexpectedPositionalError,
  UnsatisfiedPositionalError,
  version as versionFlag,
} from '@stricli/core'
import { VERSION } from '../core/base/version.ts'
import { bench } from './commands/bench.ts'
import { box } from './commands/live/box.ts'
import { check } from './commands/check.ts'
import { compare } from './commands/compare.ts'
import { counters } from './commands/instruments/counters.ts'
import { complete, completion } from './commands/completion.ts'
import { decodeCommand } from './commands/instruments/decode.ts'
import { doctorRoutes } from './commands/instruments/doctor-make.ts'
import { drift } from './commands/instruments/drift.ts'
import { example } from './commands/example.ts'
import { expectCommand } from './commands/instruments/expect.ts'
import { explainCommand } from './commands/explain.ts'
import { fidelity } from './commands/fidelity.ts'
import { headroom } from './commands/headroom.ts'
import { importRoutes } from './commands/import.ts'
import { list } from './commands/list.ts'
import { locateCommand } from './commands/instruments/locate.ts'
import { guestsCommand } from './commands/live/guests.ts'
import { peerCommand } from './commands/live/peer.ts'
import { perfCommand } from './commands/live/perf.ts'
import { pingCommand } from './commands/live/ping.ts'
import { perftest } from './commands/perftest.ts'
import { pingmeshCommand } from './commands/instruments/pingmesh.ts'
import { plot } from './commands/plot.ts'
import { report } from './commands/report.ts'
import { reproduce } from './commands/reproduce.ts'
import { run } from './commands/run.ts'
import { scenarioCommand } from './commands/instruments/scenario.ts'
import { schema } from './commands/schema.ts'
import { sweep } from './commands/sweep.ts'
import { task } from './commands/task.ts'
import { tour } from './commands/tour.ts'
import { whyCommand } from './commands/why.ts'
import type { Context, NoFlags } from './context.ts'
import { guarded } from './failure.ts'

/** version: prints the version of the program, Node and the platform. */
const version = buildCommand<NoFlags, [], Context>({
  docs: { brief: 'Print the version' },
  parameters: {},
  func: guarded(function printVersion(this: Context) {
    this.process.stdout.write(
      `rocelab ${VERSION} (Node ${process.versions.node}, ${process.platform} ${process.arch})\n`,
    )
  }),
})

const routes = buildRouteMap({
  routes: {
    tour,
    run,
    check,
    compare,
    decode: decodeCommand,
    doctor: doctorRoutes,
    scenario: scenarioCommand,
    drift,
    expect: expectCommand,
    explain: explainCommand,
    why: whyCommand,
    locate: locateCommand,
    pingmesh: pingmeshCommand,
    plot,
    report,
    sweep,
    task,
    guests: guestsCommand,
    peer: peerCommand,
    perf: perfCommand,
    ping: pingCommand,
    perftest,
    box,
    counters,
    headroom,
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
      '  rocelab tour                                   one incident from fault to cure, in seconds',
      '  rocelab example                                list scenarios to start from',
      '  rocelab run FILE                               run one scenario',
      '  rocelab list congestion dcqcn                  parameters of a scheme, with defaults and sources',
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
          return `rocelab: no command ${JSON.stringify(input)}${meant}\n  rocelab --help lists the commands, rocelab import --help the formats that can be imported`
        },
        exceptionWhileParsingArguments: (error) =>
          error instanceof FlagNotFoundError
            ? unknownOption(`--${error.input}`, error.corrections)
            : error instanceof AliasNotFoundError
              ? unknownOption(`-${error.input}`)
              : error instanceof ArgumentParseError
                ? valueMistake(error)
                : otherMistake(error),
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

/** Messages with more than their text, by the text: the library prints a text alone. */
export const MISTAKES = new Map<string, { readonly unknownOption: string } | 'number of arguments'>()

function otherMistake(error: unknown): string {
  const text = `rocelab: ${error instanceof Error ? error.message : String(error)}`
  if (error instanceof UnexpectedPositionalError || error instanceof UnsatisfiedPositionalError)
    MISTAKES.set(text, 'number of arguments')
  return text
}

function unknownOption(word: string, corrections: readonly string[] = []): string {
  const meant = corrections.map((correction) => `--${correction}`).join(' or ')
  const text = `rocelab: no option ${word}${meant === '' ? '' : `; did you mean ${meant}?`}`
  MISTAKES.set(text, { unknownOption: word })
  return text
}

/** "--seed: expected a whole number ..., received ..."; the library's own text repeats the value. */
function valueMistake({ externalFlagNameOrPlaceholder: name, exception }: ArgumentParseError): string {
  const shown = name === name.toUpperCase() ? name : `--${name}`
  return `${shown}: ${exception instanceof Error ? exception.message : String(exception)}`
}

/** Removes the back quotes that the library puts around corrections. */
function bare(correction: string): string {
  return correction.replaceAll('`', '')
}
