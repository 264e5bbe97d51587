print("pagecat")
