/** Lab: build a scenario, run it, check it. */
export { createSimulation, run, type Progress, type Simulation, type SimulationOptions } from './simulation.ts'
