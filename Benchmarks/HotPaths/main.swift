print("hot paths")
