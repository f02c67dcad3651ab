/**
 * Programs of a result as GOAL text, for LogGOPSim and ATLAHS: graphs, collectives as their messages, and traces whose
 * messages wait for others. A dependency between ranks is a message of no bytes.
 */
import { goalText, type GoalProblem } from '../core/workload/graph/index.ts'
import { defineExporter, type ExportedFile } from './exporter.ts'
import { noteOf, programsOf } from './programs.ts'

const PROBLEMS: Readonly<Record<GoalProblem, string>> = {
  need: 'a message waits for some of several others, which GOAL cannot say',
  picoseconds: 'a time is no whole number of nanoseconds',
  lanes: 'a rank has more than 256 times to wait for, and GOAL as many CPUs',
  channels: 'two ranks have more than 65536 queue pairs',
  tags: 'there are more dependencies between ranks than tags',
}

export const goal = defineExporter({
  name: 'goal',
  help: 'programs of graphs, collectives and traces as GOAL text (program.goal), for LogGOPSim and ATLAHS',
  source: 'spcl/LogGOPSim, spcl/HTSIM (ATLAHS)',
  observers: [],
  export: ({ scenario }) => {
    const { programs, others } = programsOf(scenario)
    return programs.map(({ name, table, leftOut }): ExportedFile => {
      const path = `${name}.goal`
      const { lines, problems, crossing } = goalText(table)
      const said = [...problems].map((problem) => PROBLEMS[problem])
      if (said.length > 0)
        return { path, text: said.map((line) => `// not written: ${line}\n`).join(''), ...noteOf(path, said) }
      const left = [...leftOut, ...others.map((kind) => `workload ${kind}`)]
      const notes = [
        ...(left.length === 0 ? [] : [`left out: ${left.join(', ')}`]),
        ...(crossing === 0
          ? []
          : [`${crossing} dependencies between ranks are messages of no bytes, for which other simulators send one`]),
      ]
      return { path, text: lines.map((line) => `${line}\n`).join(''), ...noteOf(path, notes) }
    })
  },
})
