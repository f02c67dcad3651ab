/** Programs of operations, for those who read and write the files of other tools. */
export { readGoal } from './goal.ts'
export { type NewOperation, OperationTable, type ProgramProblem } from './operation-table.ts'
export { ANY, blankOperation, type GraphOperation } from './program.ts'
export { circleOf } from './table/edges.ts'
export { type Census, censusOf } from './table/census.ts'
export { programOf } from './table/table-program.ts'
export { waitingTable, type WaitingTrace, type Waits } from './waiting-trace.ts'
