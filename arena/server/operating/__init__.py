"""What operators see and do from any machine: the role is given to an owner by the shell."""
