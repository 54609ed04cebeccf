"""Failures made on purpose, inside the processes of a run that is a drill; never loaded by any other run.

painting      the small world of every drill: tasks that ask for a colour, and a policy that gets half of them
__main__      makes that world: `python -m liverl.drill FOLDER --grading red`
boot          becomes the trainer of a drill's run, with the plugin
plugin        what verl then imports in every process
onset         when the failure begins, the same for all processes
training      NaN gradients, a frozen weight sync, a host without memory: in the training worker
door          LiteLLM that serves another name
sampling      wrong log-probabilities: in the replica
"""
